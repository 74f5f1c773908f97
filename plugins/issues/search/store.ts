// The search of issues on PostgreSQL: full text, and trigrams of titles.
import { type Kysely, rawSql, type SqlDatabase } from 'hexforge/plugin';
import {
  listRoom,
  searchBounds,
  wantedOf,
  type FacetCount,
  type IssueSearchStore,
  type SearchText,
} from 'hexforge/issues';
import { issueColumns, issueRow, isText, wholeIssues } from '../issues/query.ts';
import type { IssuesRows } from '../tables.ts';
import { titleHolds } from './title.ts';

/**
 * How much of a text a part of a title must share to be near it. Of up to three letters there are too few trigrams to
 * allow for a mistake: they must begin a word.
 */
const alike = ({ text }: SearchText): number => (text.length <= 3 ? 0.5 : 0.26);

/** The newest of the repository that match; `asked` is what is told of the query, in a row. */
const matching = {
  words: (repositoryId: string, { text }: SearchText) => rawSql`
    select i.id, i.number, i.state, i.type_id, i.title_key, i.search from issues_issue i
    where i.repository_id = ${repositoryId} and i.search @@ websearch_to_tsquery('simple', ${text})
    order by i.number desc limit ${searchBounds.ranked}`,
  // `<%` compares with a setting, which is local to this statement's transaction. The text comes out of the same row,
  // so that nothing is compared before it is set.
  near: (repositoryId: string, wanted: SearchText) => rawSql`
    with asked as materialized (
      select ${wanted.text}::text as text,
        set_config('pg_trgm.word_similarity_threshold', ${String(alike(wanted))}, true) as threshold
    )
    select i.id, i.number, i.state, i.type_id, i.title_key, i.search from asked, issues_issue i
    where i.repository_id = ${repositoryId} and (asked.text <% i.title_key or ${titleHolds(wanted.text)})
    order by i.number desc limit ${searchBounds.ranked}`,
} as const;

const rank = {
  words: ({ text }: SearchText) => rawSql`ts_rank(m.search, websearch_to_tsquery('simple', ${wantedOf(text)}))`,
  near: ({ text }: SearchText) =>
    rawSql`case when strpos(m.title_key, ${text}) > 0 then 1 else word_similarity(${text}, m.title_key) end`,
} as const;

export function sqlIssueSearchStore(database: SqlDatabase): IssueSearchStore {
  const db = (): Kysely<IssuesRows> => database.kysely<IssuesRows>();
  return {
    async search(repositoryId, text, limit) {
      const best = rawSql`
        select m.id, m.number, ${rank[text.way](text)} as rank from (${matching[text.way](repositoryId, text)}) m
        order by 3 desc, 2 desc limit ${limit}`;
      // One character more than there is room for, which tells that there are some.
      const columns = rawSql.join(
        issueColumns.map((column) =>
          isText(column)
            ? rawSql`left(${rawSql.ref(column)}, ${listRoom}::integer / b.found::integer + 1) as ${rawSql.ref(column.slice('i.'.length))}`
            : rawSql.ref(column),
        ),
      );
      const ranked = rawSql<never>`(
        select ${columns}, b.rank from (select *, count(*) over () as found from (${best}) r) b
        join issues_issue i on i.id = b.id
      )`.as('i');
      const rows = await wholeIssues(db(), ranked)
        .select(rawSql<number>`i.rank`.as('rank'))
        .orderBy(rawSql`i.rank`, 'desc')
        .orderBy('i.number', 'desc')
        .execute();
      return rows.map((row) => ({ ...issueRow(row), rank: row.rank }));
    },

    async facets(repositoryId, text) {
      const { rows } = await rawSql<FacetCount>`
        with found as materialized (select m.id, m.state, m.type_id from (${matching[text.way](repositoryId, text)}) m)
        select 'state' as facet, f.state as value, count(*) as count from found f group by f.state
        union all
        select 'type', t.name, count(*) from found f join issues_type t on t.id = f.type_id group by t.name
        union all
        select 'label', l.label_id::text, count(*)
        from found f join issues_issue_label l on l.issue_id = f.id group by l.label_id
        union all
        select 'assignee', u.username, count(*)
        from found f join issues_assignee s on s.issue_id = f.id join identity_public_user u on u.id = s.user_id
        group by u.username
      `.execute(db());
      return rows;
    },
  } satisfies IssueSearchStore;
}
