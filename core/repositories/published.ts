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
 * Beside the view there are two SQL functions, both of the rule that `mayRead` is on paper: what a user (null:
 * anonymous) may read by visibility, ownership or collaboration. Instance administrators read everything; that is the
 * caller's to add.
 *
 * - `repositories_readable_by(reader uuid)` is the set of readable repositories, for lists: joined by its `id`, the one
 *   column of it that is published. PostgreSQL plans it as if its condition stood in the query.
 * - `repositories_readable(reader uuid, repository uuid) returns boolean`, for one repository.
 *
 * ```sql
 * select i.id, p.owner, p.name
 * from issues_issue i
 *   join repositories_public_repository p on p.id = i.repository_id
 *   join repositories_readable_by($1) r on r.id = p.id
 * ```
 */
export interface RepositoryViews {
  repositories_public_repository: PublicRepositoryRow;
}
