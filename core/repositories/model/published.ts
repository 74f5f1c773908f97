// Published rows of this area, which other areas may join: the view `repositories_public_repository`, and functions
// that filter by read access.
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
 * Besides the view there are two SQL functions with the same rule as `mayRead`: the repositories that a user (null:
 * anonymous) can read by visibility, ownership or collaboration. Instance administrators can read everything; the
 * calling query must handle them itself.
 *
 * - `repositories_readable_by(reader uuid)` is the set of readable repositories, for lists. Join it by its `id`, the
 *   only published column. PostgreSQL inlines its condition into the query.
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
