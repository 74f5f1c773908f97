// The baseline for reads of issues: the store queries that the routes run, and none of our other code.
import { rawSql, type SqlDatabase } from 'hexforge/plugin';
import { sqlAssociationStore } from '#plugins/issues/associations/store';
import { sqlIssueStore } from '#plugins/issues/issues/store';
import { sqlIssueSearchStore } from '#plugins/issues/search/store';

export interface BareIssues {
  /** Runs the same queries as the route of that name. */
  read(what: string, repositoryId: string): Promise<unknown>;
  /** Copies the repository 49 times, to 50 in all, and fills them with `count` issues. */
  fill(repositoryId: string, count: number): Promise<void>;
}

export function bareIssues(database: SqlDatabase): BareIssues {
  const [store, associations, searches] = [
    sqlIssueStore(database),
    sqlAssociationStore(database),
    sqlIssueSearchStore(database),
  ];
  const reads: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    async list(id) {
      const slice = { order: 'newest', limit: 25, offset: 0 } as const;
      const [rows, total] = await Promise.all([
        store.list(id, { state: 'open' }, slice),
        store.count(id, { state: 'open' }),
      ]);
      await associations.of(rows.map((row) => row.id));
      return { rows, total };
    },
    async fetch(id) {
      const row = await store.byNumber(id, 7);
      if (row === undefined) return undefined;
      await associations.of([row.id]);
      return { ...row, ...(await store.watching(row.id, row.authorId)) };
    },
    async search(id) {
      const rows = await searches.search(id, { way: 'words', text: 'common' }, 25);
      await associations.of(rows.map((row) => row.id));
      return rows;
    },
  };
  return {
    read: async (what, id) => reads[what]?.(id),
    async fill(id, count) {
      const db = database.kysely<Record<never, never>>();
      await rawSql`
        insert into repositories_repository
        select (jsonb_populate_record(r, jsonb_build_object(
          'id', gen_random_uuid(), 'name', 'issues-' || n, 'name_key', 'issues-' || n))).*
        from repositories_repository r, generate_series(2, 50) n where r.id = ${id}::uuid`.execute(db);
      // Inserted in chunks, because a statement has a time limit.
      const [each, piece] = [count / 50, 100];
      for (let from = 1; from <= each; from += piece)
        await rawSql`
        insert into issues_issue (id, repository_id, number, author_id, title, title_key, title_words, description, description_words, state, status,
          priority, locked, created_at, updated_at, type_id)
        select gen_random_uuid(), r.id, n, r.owner_id, title, title, title, words, words, case n % 3 when 0 then 'closed' else 'open' end,
          'queued', 'none', false, now(), now(), '00000000-0000-4000-8000-000000000003'
        from generate_series(${from}::int, ${Math.min(from + piece - 1, each)}::int) n
        cross join (select * from repositories_repository where name like 'issues%') r
        cross join lateral (
          select case n % 10 when 0 then 'common ' else '' end || md5(n || r.name) as title,
            (select string_agg(md5(n || r.name || w), ' ') from generate_series(1, 30) w) as words
        ) texts`.execute(db);
      await rawSql`analyze issues_issue, repositories_repository`.execute(db);
    },
  };
}
