// Role templates: named sets of permissions of one repository, and their store. Giving a template to a user copies its
// permissions.

/** A named set of permissions of one repository. */
export interface RoleTemplate {
  readonly id: string;
  readonly repositoryId: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The members of a role template that can change. */
export type RoleTemplatePatch = Partial<Pick<RoleTemplate, 'name' | 'permissions'>> & Pick<RoleTemplate, 'updatedAt'>;

/** The name of the unique constraint, as in `Duplicate`. */
export const roleTemplateName = 'repositories_role_template_name';

/** Stores role templates. */
export interface RoleTemplateStore {
  /** Sorted by name. */
  list(repositoryId: string): Promise<readonly RoleTemplate[]>;
  byId(id: string): Promise<RoleTemplate | undefined>;
  /** @throws {Duplicate} if the repository has a template of that name, compared case-insensitively. */
  insert(template: RoleTemplate): Promise<void>;
  /** Returns whether the template exists. @throws {Duplicate} */
  update(id: string, patch: RoleTemplatePatch): Promise<boolean>;
  /** Returns whether the template existed. Collaborators who were given it keep their permissions. */
  delete(id: string): Promise<boolean>;
}
