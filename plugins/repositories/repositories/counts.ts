// The counts of a repository in the query that reads it: stars, watchers, forks, the caller's own marks, and counts
// from views of other plugins.
import { type ExpressionBuilder, rawSql } from 'hexforge/plugin';
import type { CountView, FoundCounts, Mark, OwnCounts } from 'hexforge/repositories';
import { markTables, type RepositoriesRows } from '../tables.ts';

/**
 * The counts as columns, with `r` as the repository's alias; `userId` is the user whose marks are read, and who may
 * read the forks.
 */
export const countColumns =
  (userId: string | undefined) =>
  (is: ExpressionBuilder<RepositoriesRows & { r: RepositoriesRows['repositories_repository'] }, 'r'>) => {
    // No mark has a null user.
    const user = rawSql<string>`${userId ?? null}::uuid`;
    const marks = (mark: Mark) => is.selectFrom(`${markTables[mark]} as m`).whereRef('m.repository_id', '=', 'r.id');
    const count = is.fn.countAll<number>().as('count');
    return [
      marks('star').select(count).as('stars'),
      marks('watch').select(count).as('watchers'),
      rawSql<number>`(select count(*) from repositories_readable_by(${user}) as f where f.parent_id = r.id)`.as(
        'forks',
      ),
      is.exists(marks('star').select('m.user_id').where('m.user_id', '=', user)).as('starred'),
      is.exists(marks('watch').select('m.user_id').where('m.user_id', '=', user)).as('watching'),
    ] as const;
  };

type CountRow = { readonly [column in keyof OwnCounts]?: OwnCounts[column] | null | 0 | 1 };

export const ownCounts = ({ stars, watchers, forks, starred, watching }: CountRow): OwnCounts => ({
  stars: stars ?? 0,
  watchers: watchers ?? 0,
  forks: forks ?? 0,
  starred: starred === true,
  watching: watching === true,
});

const columnOf = (index: number) => `view_${index}` as const;

/** The counts of other plugins as columns, with `r` as the repository's alias. */
export const viewColumns = (views: readonly CountView[]) =>
  views.map(({ name }, index) => {
    const counted = rawSql`select v.count from ${rawSql.table(name)} as v where v.repository_id = r.id`;
    return rawSql<number>`coalesce((${counted}), 0)`.as(columnOf(index));
  });

/** Collects the counts of a row. */
export function foundCounts(
  views: readonly CountView[],
  row: CountRow & Readonly<Record<ReturnType<typeof columnOf>, number | undefined>>,
): FoundCounts {
  const counts: { -readonly [member in keyof FoundCounts]: FoundCounts[member] } = ownCounts(row);
  for (const [index, { member }] of views.entries()) counts[member] = row[columnOf(index)] ?? 0;
  return counts;
}
