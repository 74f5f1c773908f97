// The query for documents, by PostgreSQL's full text.
import { rawSql } from 'hexforge/plugin';
import { folded, mostCounted, wordsIn, type DocumentHit, type DocumentQuery, type Found } from 'hexforge/search';
import { containing, every, serving, within, type Database } from './rows.ts';

/** The words of a text with blanks between, which `to_tsvector` splits in the same way. */
export const plainWords = (text: string): string => wordsIn(folded(text)).join(' ');

export async function documents(db: Database, query: DocumentQuery): Promise<Found<DocumentHit>> {
  const { section, words, sort, readable, repositoryIds, limit } = query;
  const plain = words.map(plainWords);
  const asked = rawSql.join(
    plain.map((word) => rawSql`plainto_tsquery('simple', ${word})`),
    rawSql` && `,
  );
  // The positions of a tsvector end at 16,383, so phrases are compared as texts.
  const phrases = plain
    .filter((word) => word.includes(' '))
    .map((word) => rawSql`d.plain like ${containing(` ${word} `)}`);
  // The newest matches are ranked. The `||` makes the query an alternative, for which each word is weighed once; a
  // conjunction compares the positions of each pair of words.
  const score =
    sort === 'recent' ? rawSql`extract(epoch from m.updated_at)` : rawSql`ts_rank(m.words, asked.q || asked.q)`;
  const { rows } = await rawSql<Omit<DocumentHit, 'source'> & { readonly source: string; readonly total: number }>`
    with asked as materialized (select ${asked} as q)
    select m.repository_id as "repositoryId", m.key, m.source, ${score}::double precision as score,
      (count(*) over ())::integer as total
    from asked, (
      select d.* from search_sql_document d, asked
      where d.index_id = ${serving} and d.section = ${section} and d.words @@ asked.q
        and ${within('d.repository_id', readable, repositoryIds)} and ${every(phrases)}
      order by d.updated_at desc limit ${mostCounted}
    ) m
    order by score desc, m.updated_at desc, m.key, m.repository_id limit ${limit}`.execute(db);
  return {
    total: rows[0]?.total ?? 0,
    hits: rows.map(({ total: _total, source, ...hit }) => ({ ...hit, source: JSON.parse(source) as unknown })),
  };
}
