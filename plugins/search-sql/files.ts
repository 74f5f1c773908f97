// The query for files: candidates by trigrams, from the rarest term on, and the ranking.
import { rawSql } from 'hexforge/plugin';
import { commonKinds, mostCounted, type FileHit, type FileQuery, type FileFilter, type Found } from 'hexforge/search';
import { containing, every, serving, within, type Database, type Fragment } from './rows.ts';

/** A term with fewer pieces than this is rare: its pieces are read, and the other terms are looked up for each. */
const rare = 300;
/** The pieces that are read for a term in a first and a second attempt; a file has several. */
const pieces = [4_000, 40_000] as const;
/** The most candidates of one kind besides matches of the text. */
const preferred = 500;

/** The conditions on the row `f` of a file. */
export const filtered = ({ languages, paths }: FileFilter): readonly Fragment[] => [
  ...(languages.length === 0 ? [] : [rawSql`f.language = any(${languages}::text[])`]),
  ...paths.map((path) => rawSql`f.path_key like ${containing(path)}`),
];

/** The file of the row `f` has the text in its path or in one of its pieces. */
const has = (text: string): Fragment => rawSql`(
  f.path_key like ${containing(text)}
  or exists (select from search_sql_piece o where o.file_id = f.id and o.text like ${containing(text)})
)`;

/** The term with the fewest pieces, or the longest of several that are common. */
async function rarest(db: Database, terms: readonly string[]): Promise<string> {
  const byLength = terms.toSorted((one, other) => other.length - one.length);
  const [longest = ''] = byLength;
  if (terms.length === 1) return longest;
  const counts = byLength.map(
    (term) => rawSql`(
      select count(*)::integer from (
        select from search_sql_piece where text like ${containing(term)} limit ${rare}
      ) p
    )`,
  );
  const { rows } = await rawSql<{ counts: readonly number[] }>`select array[${rawSql.join(counts)}] as counts`.execute(
    db,
  );
  const found = rows[0]?.counts ?? [];
  return byLength[found.indexOf(Math.min(...found))] ?? longest;
}

interface Row extends Omit<FileHit, 'definedAt'> {
  readonly definedAt: number | null;
  readonly total: number;
  /** Whether the pieces that were read were all. */
  readonly whole: boolean;
}

export async function files(db: Database, query: FileQuery): Promise<Found<FileHit>> {
  const { terms, short, readable, repositoryIds, limit, signal } = query;
  const term = await rarest(db, terms);
  const others = [...terms.filter((other) => other !== term), ...short];
  const conditions = [...filtered(query), ...others.map(has)];
  for (const most of pieces) {
    signal.throwIfAborted();
    const { rows } = await candidates(most).execute(db);
    const [first] = rows;
    if (first === undefined || first.whole || first.total >= mostCounted || most === pieces.at(-1))
      return {
        total: Math.min(first?.total ?? 0, mostCounted),
        hits: rows.map(({ total: _total, whole: _whole, definedAt, ...hit }) => ({
          ...hit,
          ...(definedAt !== null && { definedAt }),
        })),
      };
  }
  return { total: 0, hits: [] };

  function candidates(most: number) {
    const visible = (row: 'f' | 'p' | 's') => rawSql`${rawSql.ref(`${row}.index_id`)} = ${serving}
      and ${within(`${row}.repository_id`, readable, repositoryIds)}`;
    // Without conditions on files, a piece is a match by itself.
    const ofPiece =
      conditions.length === 0
        ? rawSql``
        : rawSql`and exists (select from search_sql_file f where f.id = p.file_id and ${every(conditions)})`;
    return rawSql<Row>`
      with read as materialized (
        select p.file_id from search_sql_piece p
        where p.text like ${containing(term)} and ${visible('p')} ${ofPiece} limit ${most}
      ),
      candidate as (
        (select distinct file_id as id from read)
        union
        (select f.id from search_sql_file f
          where f.path_key like ${containing(term)} and ${visible('f')} and ${every(conditions)} limit ${mostCounted})
        union
        (select f.id from search_sql_symbol s join search_sql_file f on f.id = s.file_id
          where s.name_key = any(${terms}::text[]) and s.kind <> all(${commonKinds}::text[]) and ${visible('s')} and ${every([has(term), ...conditions])}
          limit ${preferred})
        union
        (select f.id from search_sql_file f
          where f.stem = any(${terms}::text[]) and ${visible('f')} and ${every([has(term), ...conditions])}
          limit ${preferred})
      ),
      scored as (
        select f.repository_id, f.path, f.oid, f.language, d.line, f.weight
          + case when d.line is null then 0 else 4000 end
          + case when f.stem = any(${terms}::text[]) then 2000 else 0 end
          + case when ${rawSql.join(
            terms.map((each) => rawSql`f.path_key like ${containing(each)}`),
            rawSql` or `,
          )} then 1000 else 0 end as score
        from candidate c join search_sql_file f on f.id = c.id
          cross join lateral (
            select min(s.line) as line from search_sql_symbol s
            where s.file_id = f.id and s.name_key = any(${terms}::text[]) and s.kind <> all(${commonKinds}::text[])
          ) d
      )
      select repository_id as "repositoryId", path, oid, language, line as "definedAt", score::integer,
        (count(*) over ())::integer as total, (select count(*) from read) < ${most} as whole
      from scored order by score desc, path, repository_id limit ${limit}`;
  }
}
