// Rows of this area that other areas may join: the view `repositories_public_repository`, and who may read which.
import type { Visibility } from './repository.ts';

/** Fixed columns of the view. */
export interface PublicRepositoryRow {
  readonly id: string;
  readonly owner_id: string;
  /** The owner's username. */
  readonly owner: string;
  readonly name: string;
  /** Lower case, for look-ups. */
  readonly name_key: string;
  readonly visibility: Visibility;
  readonly default_branch: string;
  readonly issue_code: string;
}

/**
 * Beside the view there is the SQL function `repositories_readable(reader uuid, repository uuid) returns boolean`:
 * whether a user (null: anonymous) may read a repository by visibility, ownership or collaboration. Instance
 * administrators read everything; that is the caller's to add.
 */
export interface RepositoryViews {
  repositories_public_repository: PublicRepositoryRow;
}
