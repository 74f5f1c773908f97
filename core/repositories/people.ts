// Who has to do with a repository beside its owner: what the store keeps of collaborators, role templates, stars and
// watchers.
import type { PublicUser } from '#core/identity/index';
import type { RepositoryCounts } from './offers.ts';
import type { Repository } from './repository.ts';
import type { Collaboration } from './roles.ts';

export interface Collaborator {
  readonly user: PublicUser;
  readonly collaboration: Collaboration;
  readonly createdAt: Date;
}

/** A named set of permissions of one repository; giving it to somebody copies the permissions. */
export interface RoleTemplate {
  readonly id: string;
  readonly repositoryId: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type RoleTemplatePatch = Partial<Pick<RoleTemplate, 'name' | 'permissions'>> & Pick<RoleTemplate, 'updatedAt'>;

/** A user's mark on a repository. */
export type Mark = 'star' | 'watch';

export type PeopleCounts = Pick<RepositoryCounts, 'stars' | 'watchers' | 'forks' | 'starred' | 'watching'>;

export interface PeopleStore {
  /** By username; one query. */
  collaborators(repositoryId: string): Promise<readonly Collaborator[]>;
  collaborator(repositoryId: string, userId: string): Promise<Collaborator | undefined>;
  /** Adds a collaborator or replaces what they were given; a role of the table carries no permissions of its own. */
  putCollaborator(repositoryId: string, userId: string, collaboration: Collaboration, at: Date): Promise<void>;
  /** Whether they were one. */
  removeCollaborator(repositoryId: string, userId: string): Promise<boolean>;

  /** By name. */
  roleTemplates(repositoryId: string): Promise<readonly RoleTemplate[]>;
  roleTemplate(id: string): Promise<RoleTemplate | undefined>;
  /** @throws {Duplicate} where the repository has one of that name, in any case. */
  insertRoleTemplate(template: RoleTemplate): Promise<void>;
  /** Whether it was there. @throws {Duplicate} */
  updateRoleTemplate(id: string, patch: RoleTemplatePatch): Promise<boolean>;
  /** Whether it was there. Collaborators who were given it keep what they have. */
  deleteRoleTemplate(id: string): Promise<boolean>;

  /** Whether this was new. */
  mark(mark: Mark, repositoryId: string, userId: string, at: Date): Promise<boolean>;
  /** Whether it was there. */
  unmark(mark: Mark, repositoryId: string, userId: string): Promise<boolean>;
  /** For a batch of repositories in one query; `userId` is whose own marks are told. */
  peopleCounts(
    repositoryIds: readonly string[],
    userId: string | undefined,
  ): Promise<ReadonlyMap<string, PeopleCounts>>;

  /** What a repository was forked from, while that exists. */
  parentOf(repositoryId: string): Promise<Repository | undefined>;
}
