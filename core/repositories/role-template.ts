// A named set of permissions of one repository, and the store of these; giving one to somebody copies the permissions.

/** A named set of permissions of one repository. */
export interface RoleTemplate {
  readonly id: string;
  readonly repositoryId: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What may change in a role template. */
export type RoleTemplatePatch = Partial<Pick<RoleTemplate, 'name' | 'permissions'>> & Pick<RoleTemplate, 'updatedAt'>;

/** The name of the unique constraint, as `Duplicate` carries it. */
export const roleTemplateName = 'repositories_role_template_name';

/** Where role templates are kept. */
export interface RoleTemplateStore {
  /** By name. */
  list(repositoryId: string): Promise<readonly RoleTemplate[]>;
  byId(id: string): Promise<RoleTemplate | undefined>;
  /** @throws {Duplicate} where the repository has one of that name, in any case. */
  insert(template: RoleTemplate): Promise<void>;
  /** Whether it was there. @throws {Duplicate} */
  update(id: string, patch: RoleTemplatePatch): Promise<boolean>;
  /** Whether it was there. Collaborators who were given it keep what they have. */
  delete(id: string): Promise<boolean>;
}
