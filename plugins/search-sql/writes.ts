// The writes of one index, in the unit of work of the caller.
import { rawSql } from 'hexforge/plugin';
import {
  codeSection,
  folded,
  pathWeight,
  stemOf,
  type IndexChanges,
  type IndexedFile,
  type IndexSource,
  type MovedFile,
  type SectionDocument,
} from 'hexforge/search';
import { plainWords } from './documents.ts';
import { piecesOf } from './pieces.ts';
import type { Database, Fragment } from './rows.ts';

/** The columns that follow from a path. */
const pathColumns = (path: string) => ({
  path,
  pathKey: folded(path),
  stem: folded(stemOf(path)),
  weight: pathWeight(path),
});

/** A set of rows from parallel lists, as `name (columns)`. */
const unnested = (lists: readonly Fragment[], as: string): Fragment =>
  rawSql`unnest(${rawSql.join([...lists])}) as ${rawSql.raw(as)}`;
const texts = (list: readonly string[]): Fragment => rawSql`${list}::text[]`;
const integers = (list: readonly number[]): Fragment => rawSql`${list}::integer[]`;

export function writes(db: Database, indexId: number, { section, repositoryId }: IndexSource) {
  const own = rawSql`index_id = ${indexId} and repository_id = ${repositoryId}::uuid`;
  const ofCode = section === codeSection;

  const removeFiles = (paths: readonly string[]) =>
    rawSql`delete from search_sql_file where ${own} and path = any(${paths}::text[])`.execute(db);
  const removeDocuments = (keys: readonly string[]) =>
    rawSql`delete from search_sql_document where ${own} and section = ${section} and key = any(${keys}::text[])`.execute(
      db,
    );

  async function move({ from, to, language }: MovedFile): Promise<void> {
    const { path, pathKey, stem, weight } = pathColumns(to);
    const { numAffectedRows } = await rawSql`
      update search_sql_file set path = ${path}, path_key = ${pathKey}, stem = ${stem}, weight = ${weight}, language = ${language}
      where ${own} and path = ${from}`.execute(db);
    if (numAffectedRows !== 1n) throw new Error(`the file "${from}" to be moved is not in the index`);
  }

  async function putFiles(given: readonly IndexedFile[]): Promise<void> {
    await removeFiles(given.map(({ path }) => path));
    const columns = given.map(({ path }) => pathColumns(path));
    const { rows } = await rawSql<{ readonly id: string; readonly path: string }>`
      insert into search_sql_file (index_id, repository_id, path, path_key, stem, oid, language, weight)
      select ${indexId}, ${repositoryId}::uuid, f.* from ${unnested(
        [
          texts(columns.map(({ path }) => path)),
          texts(columns.map(({ pathKey }) => pathKey)),
          texts(columns.map(({ stem }) => stem)),
          texts(given.map(({ oid }) => oid)),
          texts(given.map(({ language }) => language)),
          integers(columns.map(({ weight }) => weight)),
        ],
        'f (path, path_key, stem, oid, language, weight)',
      )} returning id::text, path`.execute(db);
    const ids = new Map(rows.map(({ id, path }) => [path, id]));
    const pieces = given.flatMap(({ path, text }) =>
      piecesOf(text).map((piece) => [ids.get(path) ?? '', piece] as const),
    );
    if (pieces.length > 0)
      await rawSql`
        insert into search_sql_piece (file_id, index_id, repository_id, text)
        select p.id::bigint, ${indexId}, ${repositoryId}::uuid, p.text from ${unnested(
          [texts(pieces.map(([id]) => id)), texts(pieces.map(([, piece]) => piece))],
          'p (id, text)',
        )}`.execute(db);
    const symbols = given.flatMap(({ path, symbols: own }) =>
      own.map((symbol, position) => ({ ...symbol, position, fileId: ids.get(path) ?? '' })),
    );
    if (symbols.length > 0)
      await rawSql`
        insert into search_sql_symbol (file_id, position, index_id, repository_id, name, name_key, kind, line, signature)
        select s.id::bigint, s.position, ${indexId}, ${repositoryId}::uuid, s.name, s.name_key, s.kind, s.line, s.signature
        from ${unnested(
          [
            texts(symbols.map(({ fileId }) => fileId)),
            integers(symbols.map(({ position }) => position)),
            texts(symbols.map(({ name }) => name)),
            texts(symbols.map(({ name }) => folded(name))),
            texts(symbols.map(({ kind }) => kind)),
            integers(symbols.map(({ line }) => line)),
            texts(symbols.map(({ signature }) => signature)),
          ],
          's (id, position, name, name_key, kind, line, signature)',
        )}`.execute(db);
  }

  async function putDocuments(given: readonly SectionDocument[]): Promise<void> {
    await rawSql`
      insert into search_sql_document (index_id, section, repository_id, key, updated_at, source, plain, words)
      select ${indexId}, ${section}, ${repositoryId}::uuid, d.key, d.updated_at::timestamptz, d.source, ' ' || d.title || ' ' || chr(10) || ' ' || d.text || ' ',
        setweight(to_tsvector('simple', d.title), 'A') || setweight(to_tsvector('simple', d.text), 'D')
      from ${unnested(
        [
          texts(given.map(({ key }) => key)),
          texts(given.map(({ updatedAt }) => updatedAt.toISOString())),
          texts(given.map(({ source }) => JSON.stringify(source))),
          texts(given.map(({ title }) => plainWords(title))),
          texts(given.map(({ text }) => plainWords(text))),
        ],
        'd (key, updated_at, source, title, text)',
      )}
      on conflict (index_id, section, repository_id, key) do update
        set updated_at = excluded.updated_at, source = excluded.source, plain = excluded.plain, words = excluded.words`.execute(
      db,
    );
  }

  return {
    async apply({ removed = [], moved = [], files = [], documents = [] }: IndexChanges, state: string): Promise<void> {
      if (removed.length > 0) await (ofCode ? removeFiles(removed) : removeDocuments(removed));
      for (const one of moved) await move(one);
      if (files.length > 0) await putFiles(files);
      if (documents.length > 0) await putDocuments(documents);
      await rawSql`
        insert into search_sql_source (index_id, repository_id, section, state)
        values (${indexId}, ${repositoryId}::uuid, ${section}, ${state})
        on conflict (index_id, repository_id, section) do update set state = excluded.state`.execute(db);
    },

    /** Removes a part of the rows. @returns whether there may be more. */
    async removeSome(most: number): Promise<boolean> {
      const [table, key, only] = ofCode
        ? ['search_sql_file', rawSql`id`, rawSql`true`]
        : ['search_sql_document', rawSql`ctid`, rawSql`section = ${section}`];
      const { numAffectedRows = 0n } = await rawSql`
        delete from ${rawSql.table(table)} where ${key} in (
          select ${key} from ${rawSql.table(table)} where ${own} and ${only} limit ${most}
        )`.execute(db);
      return numAffectedRows === BigInt(most);
    },
  };
}

const replaced = rawSql`(select id from search_sql_index where serving is null)`;

/** Removes a part of the rows of replaced indexes. @returns whether there may be more. */
export async function removeReplaced(db: Database, most: number): Promise<boolean> {
  for (const [table, key] of [
    ['search_sql_file', 'id'],
    ['search_sql_document', 'ctid'],
    ['search_sql_source', 'ctid'],
  ] as const) {
    const { numAffectedRows = 0n } = await rawSql`
      delete from ${rawSql.table(table)} where ${rawSql.ref(key)} in (
        select ${rawSql.ref(key)} from ${rawSql.table(table)} where index_id in ${replaced} limit ${most}
      )`.execute(db);
    if (numAffectedRows > 0n) return true;
  }
  const { numAffectedRows = 0n } = await rawSql`delete from search_sql_index where serving is null`.execute(db);
  return numAffectedRows > 0n;
}
