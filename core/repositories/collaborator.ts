// Who was given a role in a repository, and the store that keeps it.
import type { PublicUser } from '#core/identity/index';
import type { Collaboration } from './roles.ts';

/** A user who was given a role in a repository. */
export interface Collaborator {
  readonly user: PublicUser;
  readonly collaboration: Collaboration;
  readonly createdAt: Date;
}

/** Where collaborators are kept. */
export interface CollaboratorStore {
  /** By username; one query. */
  list(repositoryId: string): Promise<readonly Collaborator[]>;
  find(repositoryId: string, userId: string): Promise<Collaborator | undefined>;
  /** What these users were given, those of them who were; one query. */
  among(repositoryId: string, userIds: readonly string[]): Promise<ReadonlyMap<string, Collaboration>>;
  /** Adds a collaborator or replaces what they were given; a role of the table carries no permissions of its own. */
  put(repositoryId: string, userId: string, collaboration: Collaboration, at: Date): Promise<void>;
  /** Whether they were one. */
  remove(repositoryId: string, userId: string): Promise<boolean>;
}
