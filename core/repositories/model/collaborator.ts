// A collaborator of a repository, and the store of collaborators.
import type { PublicUser } from '#core/identity/index';
import type { Collaboration } from './roles.ts';

/** A user who has a role in a repository. */
export interface Collaborator {
  readonly user: PublicUser;
  readonly collaboration: Collaboration;
  readonly createdAt: Date;
}

/** Stores collaborators. */
export interface CollaboratorStore {
  /** Sorted by username; one query. */
  list(repositoryId: string): Promise<readonly Collaborator[]>;
  find(repositoryId: string, userId: string): Promise<Collaborator | undefined>;
  /** The collaborations of those of these users who are collaborators; one query. */
  among(repositoryId: string, userIds: readonly string[]): Promise<ReadonlyMap<string, Collaboration>>;
  /** Adds a collaborator or replaces their role. The permissions are empty for a built-in role. */
  put(repositoryId: string, userId: string, collaboration: Collaboration, at: Date): Promise<void>;
  /**
   * The ids of private repositories of others that the user reads by a custom role without this permission, at most
   * 1,000; one query.
   */
  lacking(userId: string, permission: string): Promise<readonly string[]>;
  /** Returns whether the user was a collaborator. */
  remove(repositoryId: string, userId: string): Promise<boolean>;
}
