// Users as other areas show them, in queries: the columns of a join with the view `identity_public_user`.
import { sql } from 'kysely';

/**
 * The columns of a user, for `select` and `nesting`.
 *
 * @param alias The alias of the view in the query.
 * @param under The member of the row that becomes the user.
 */
export const publicUserColumns = <A extends string, U extends string>(alias: A, under: U) =>
  [
    `${alias}.id as ${under}.id`,
    `${alias}.username as ${under}.username`,
    `${alias}.display_name as ${under}.displayName`,
    `${alias}.avatar_url as ${under}.avatarUrl`,
  ] as const;

/** A user as JSON, for aggregates; `u` is the alias of the view in the query. */
export const publicUserJson = sql`jsonb_build_object(
  'id', u.id, 'username', u.username, 'displayName', u.display_name, 'avatarUrl', u.avatar_url
)`;
