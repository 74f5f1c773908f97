// The index in PostgreSQL: trigrams of files and names, full text of documents.
import { rawSql, type SqlDatabase, type UnitOfWork } from 'hexforge/plugin';
import {
  codeSection,
  type IndexSize,
  type IndexSource,
  type SearchBackend,
  type SearchIndex,
  type StoredEntry,
} from 'hexforge/search';
import { documents } from './documents.ts';
import { files } from './files.ts';
import { serving, type Database, type SearchRows } from './rows.ts';
import { symbols, symbolsOf } from './symbols.ts';
import { removeReplaced, writes } from './writes.ts';

/** Files that one statement removes; each has several pieces and symbols. */
const removedAtOnce = 50;

/** Makes the back end on a database. Its writes need the unit of work, which a plugin has only when it is built. */
export type OpenIndex = (unitOfWork: UnitOfWork) => SearchBackend;

export function sqlSearchIndex(database: SqlDatabase): OpenIndex {
  const db = (): Database => database.kysely<SearchRows>();

  return (unitOfWork) => {
    const indexOf = (id: number): SearchIndex => ({
      id: String(id),
      async state({ repositoryId, section }) {
        const { rows } = await rawSql<{ readonly state: string }>`
          select state from search_sql_source
          where index_id = ${id} and repository_id = ${repositoryId}::uuid and section = ${section}`.execute(db());
        return rows[0]?.state;
      },
      write: (source, changes, state) => unitOfWork.run(() => writes(db(), id, source).apply(changes, state)),
      async entries({ repositoryId, section }, after, limit) {
        const ofCode = section === codeSection;
        const { rows } = ofCode
          ? await rawSql<StoredEntry>`
              select path as key, oid from search_sql_file
              where index_id = ${id} and repository_id = ${repositoryId}::uuid and path > ${after ?? ''}
              order by path limit ${limit}`.execute(db())
          : await rawSql<StoredEntry>`
              select key, '' as oid from search_sql_document
              where index_id = ${id} and section = ${section} and repository_id = ${repositoryId}::uuid and key > ${after ?? ''}
              order by key limit ${limit}`.execute(db());
        return rows;
      },
      async sources(after, limit) {
        const beyond =
          after === undefined
            ? rawSql`true`
            : rawSql`(repository_id, section) > (${after.repositoryId}::uuid, ${after.section})`;
        const { rows } = await rawSql<IndexSource & { readonly state: string }>`
          select repository_id as "repositoryId", section, state from search_sql_source
          where index_id = ${id} and ${beyond} order by repository_id, section limit ${limit}`.execute(db());
        return rows;
      },
      async remove(source) {
        // In several transactions, because a large repository has many rows. The state is removed last.
        const { repositoryId, section } = source;
        while (await unitOfWork.run(() => writes(db(), id, source).removeSome(removedAtOnce)));
        await unitOfWork.run(() =>
          rawSql`
            delete from search_sql_source
            where index_id = ${id} and repository_id = ${repositoryId}::uuid and section = ${section}`.execute(db()),
        );
      },
    });

    /** Deletes replaced indexes, in many transactions. */
    async function clear(): Promise<void> {
      while (await unitOfWork.run(() => removeReplaced(db(), removedAtOnce)));
    }

    return {
      async indexes() {
        const { rows } = await rawSql<{ readonly id: number }>`
          select id from search_sql_index where serving is not null order by serving desc`.execute(db());
        return rows.map(({ id }) => indexOf(id));
      },
      async beginRebuild() {
        await clear();
        await unitOfWork.run(() =>
          rawSql`insert into search_sql_index (serving) values (false) on conflict (serving) do nothing`.execute(db()),
        );
      },
      async finishRebuild() {
        await unitOfWork.run(() => replace(db()));
        await clear();
      },
      files: (query) => answered(query.signal, () => files(db(), query)),
      symbols: (query) => answered(query.signal, () => symbols(db(), query)),
      symbolsOf: (repositoryId, path) => symbolsOf(db(), repositoryId, path),
      documents: (query) => answered(query.signal, () => documents(db(), query)),
      async size() {
        const { rows } = await rawSql<IndexSize>`
          select (select count(*) from search_sql_file where index_id = ${serving})::integer as files,
            (select count(*) from search_sql_symbol where index_id = ${serving})::integer as symbols,
            (select count(*) from search_sql_document where index_id = ${serving})::integer as documents,
            (select sum(pg_total_relation_size(name::regclass)) from unnest(array[
              'search_sql_file', 'search_sql_piece', 'search_sql_symbol', 'search_sql_document'
            ]) as name)::bigint as bytes`.execute(db());
        return rows[0] ?? { files: 0, symbols: 0, documents: 0, bytes: undefined };
      },
    } satisfies SearchBackend;
  };
}

async function answered<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const answer = await ask();
  signal.throwIfAborted();
  return answer;
}

/** Lets the new index answer in place of the old one, if there is a new one. */
async function replace(db: Database): Promise<void> {
  const { rows } = await rawSql<{ readonly id: number; readonly serving: boolean }>`
    select id, serving from search_sql_index where serving is not null order by id for update`.execute(db);
  const next = rows.find((row) => !row.serving);
  if (next === undefined) return;
  await rawSql`update search_sql_index set serving = null where serving`.execute(db);
  await rawSql`update search_sql_index set serving = true where id = ${next.id}`.execute(db);
}
