// What stores of what belongs to users and repositories are held to their contracts with.
import type { UnitOfWork } from '#core/kernel/unit-of-work';

export interface ForgeUnderTest {
  readonly unitOfWork: UnitOfWork;
  /** Makes a user of that name. @returns their id. */
  readonly addUser: (username: string) => Promise<string>;
  readonly removeUser: (id: string) => Promise<unknown>;
  /** Makes a repository of that user. @returns its id. */
  readonly addRepository: (ownerId: string, name: string) => Promise<string>;
  readonly removeRepository: (id: string) => Promise<unknown>;
  /** SQL statements that reads took so far, where there are any. */
  readonly statements?: () => number;
}
