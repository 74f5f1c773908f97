// The queries for definitions.
import { rawSql } from 'hexforge/plugin';
import {
  isIndexable,
  mostCounted,
  type Found,
  type SymbolDefinition,
  type SymbolHit,
  type SymbolQuery,
} from 'hexforge/search';
import { filtered } from './files.ts';
import { beginningWith, containing, every, serving, within, type Database } from './rows.ts';

export async function symbols(db: Database, query: SymbolQuery): Promise<Found<SymbolHit>> {
  const { name, kinds, readable, repositoryIds, limit } = query;
  const matching = (condition: ReturnType<typeof rawSql>, most: number) => rawSql`
    select s.file_id, s.position from search_sql_symbol s join search_sql_file f on f.id = s.file_id
    where ${every([
      condition,
      rawSql`s.index_id = ${serving}`,
      within('s.repository_id', readable, repositoryIds),
      ...(kinds.length === 0 ? [] : [rawSql`s.kind = any(${kinds}::text[])`]),
      ...filtered(query),
    ])} limit ${most}`;
  const parts = isIndexable(name)
    ? rawSql`union (${matching(rawSql`s.name_key like ${containing(name)}`, mostCounted)})`
    : rawSql``;
  const { rows } = await rawSql<SymbolHit & { readonly total: number }>`
    with candidate as ((${matching(rawSql`s.name_key = ${name}`, mostCounted)}) ${parts})
    select s.repository_id as "repositoryId", f.path, f.language, s.name, s.kind, s.line, s.signature,
      (f.weight + case
        when s.name_key = ${name} then 4000
        when s.name_key like ${beginningWith(name)} then 2000
        else 0
      end)::integer as score, (count(*) over ())::integer as total
    from candidate c
      join search_sql_symbol s on s.file_id = c.file_id and s.position = c.position
      join search_sql_file f on f.id = s.file_id
    order by score desc, f.path, s.line, s.repository_id limit ${limit}`.execute(db);
  return {
    total: Math.min(rows[0]?.total ?? 0, mostCounted),
    hits: rows.map(({ total: _total, ...hit }) => hit),
  };
}

export async function symbolsOf(
  db: Database,
  repositoryId: string,
  path: string,
): Promise<readonly SymbolDefinition[]> {
  const { rows } = await rawSql<SymbolDefinition>`
    select s.name, s.kind, s.line, s.signature
    from search_sql_file f join search_sql_symbol s on s.file_id = f.id
    where f.index_id = ${serving} and f.repository_id = ${repositoryId}::uuid and f.path = ${path}
    order by s.position`.execute(db);
  return rows;
}
