// The parts of a forge that contract checks of stores need when their rows belong to users and repositories.
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';

export interface ForgeUnderTest {
  readonly unitOfWork: UnitOfWork;
  /** Adds a user of that name. @returns the id of the user. */
  readonly addUser: (username: string) => Promise<string>;
  readonly removeUser: (id: string) => Promise<unknown>;
  /** Adds a repository of that user. @returns the id of the repository. */
  readonly addRepository: (ownerId: string, name: string) => Promise<string>;
  readonly removeRepository: (id: string) => Promise<unknown>;
  /** The number of SQL statements that reads have executed; undefined for storage in memory. */
  readonly statements?: () => number;
}
