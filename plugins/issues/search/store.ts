// The search of issues in PostgreSQL: full text, and trigrams of titles.
import { type Kysely, rawSql, type SqlDatabase } from 'hexforge/plugin';
import {
  listRoom,
  searchBounds,
  wantedOf,
  type FacetCount,
  type IssueSearchStore,
  type SearchText,
} from 'hexforge/issues';
import { issueColumnNames, issueRow, isText, wholeIssues } from '../issues/query.ts';
import type { IssuesRows } from '../tables.ts';
import { titleHolds } from '../issues/title.ts';

/**
 * The required similarity to a part of a title. A text of up to three letters has too few trigrams to tolerate a typing
 * error, so it must start a word of the title.
 */
const alike = ({ text }: SearchText): number => (text.length <= 3 ? 0.5 : 0.26);

/** The `most` newest matching issues of the repository. `asked` is a row with values computed from the query. */
const matching = {
  words: (repositoryId: string, { text }: SearchText, most: number) => rawSql`
    select i.id, i.number, i.state, i.type_id, i.title_key, i.search from issues_issue i
    where i.repository_id = ${repositoryId} and i.search @@ websearch_to_tsquery('simple', ${text})
    order by i.number desc limit ${most}`,
  // `<%` compares with a setting, which is set for this transaction only. The text is taken from the row that sets it,
  // so that no comparison happens earlier.
  near: (repositoryId: string, wanted: SearchText, most: number) => rawSql`
    with asked as materialized (
      select ${wanted.text}::text as text,
        set_config('pg_trgm.word_similarity_threshold', ${String(alike(wanted))}, true) as threshold
    )
    select i.id, i.number, i.state, i.type_id, i.title_key, i.search from asked, issues_issue i
    where i.repository_id = ${repositoryId} and (asked.text <% i.title_key or ${titleHolds(wanted.text)})
    order by i.number desc limit ${most}`,
} as const;

/**
 * `ts_rank` compares the positions of each pair of words if the query is a conjunction or a phrase. The `||` makes it
 * an alternative, for which each word is weighed once.
 */
const rank = {
  words: ({ text }: SearchText) =>
    rawSql`(select ts_rank(m.search, q || q) from websearch_to_tsquery('simple', ${wantedOf(text)}) as q)`,
  near: ({ text }: SearchText) =>
    rawSql`case when strpos(m.title_key, ${text}) > 0 then 1 else word_similarity(${text}, m.title_key) end`,
} as const;

export function sqlIssueSearchStore(database: SqlDatabase): IssueSearchStore {
  const db = (): Kysely<IssuesRows> => database.kysely<IssuesRows>();
  return {
    async search(repositoryId, text, limit) {
      const best = rawSql`
        select m.id, m.number, ${rank[text.way](text)} as rank from (${matching[text.way](repositoryId, text, searchBounds.ranked)}) m
        order by 3 desc, 2 desc limit ${limit}`;
      // Reads one character more than there is room for, which shows whether the text was cut.
      const columns = rawSql.join(
        issueColumnNames.map((column) =>
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
        with found as materialized (select m.id, m.state, m.type_id from (${matching[text.way](repositoryId, text, searchBounds.counted)}) m)
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
