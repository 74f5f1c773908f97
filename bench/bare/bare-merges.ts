// The baseline for reads of merge requests: the store queries that the routes run, and rows to read.
import { rawSql, type SqlDatabase } from 'hexforge/plugin';
import { sqlMergeStore } from '#plugins/merges/requests/store';
import { protectionStore } from '#plugins/repositories/protection/store';

export interface BareMerges {
  /** Runs the same queries as the route of that name. */
  read(what: string, repositoryId: string): Promise<unknown>;
  /** Copies the repository 49 times, to 50 in all, and fills them with `count` merge requests. */
  fill(repositoryId: string, count: number): Promise<void>;
  /** Inserts one more request, of a branch into `main`, whose diff has not been computed yet. */
  open(repositoryId: string, request: { number: number; branch: string; head: string }): Promise<void>;
}

export function bareMerges(database: SqlDatabase): BareMerges {
  const [store, protections] = [sqlMergeStore(database), protectionStore.sql(database)];
  const reads: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    async list(id) {
      const slice = { order: 'newest', limit: 25, offset: 0 } as const;
      const [rows, total] = await Promise.all([
        store.list(id, { state: 'open' }, slice),
        store.count(id, { state: 'open' }),
      ]);
      await protections.all(id);
      return { rows, total };
    },
    async fetch(id) {
      const row = await store.byNumber(id, 1);
      await protections.all(id);
      return row;
    },
  };
  const db = () => database.kysely<Record<never, never>>();
  const columns = rawSql`id, repository_id, number, title, description, state, is_draft, source_repository_id,
    source_branch, target_branch, author_id, head_oid, base_oid, created_at, updated_at`;
  return {
    read: async (what, id) => reads[what]?.(id),
    async fill(id, count) {
      await rawSql`
        insert into repositories_repository
        select (jsonb_populate_record(r, jsonb_build_object(
          'id', gen_random_uuid(), 'name', 'merges-' || n, 'name_key', 'merges-' || n))).*
        from repositories_repository r, generate_series(2, 50) n where r.id = ${id}::uuid`.execute(db());
      // Inserted in chunks, because a statement has a time limit.
      const [each, piece] = [count / 50, 100];
      for (let from = 1; from <= each; from += piece)
        await rawSql`
        insert into merges_request (${columns})
        select gen_random_uuid(), r.id, n, 'Request ' || md5(n || r.name), repeat(md5(r.name || n), 20),
          case n % 3 when 0 then 'closed' else 'open' end, false, r.id, 'topic-' || n, 'main', r.owner_id,
          repeat('1', 40), null, now(), now()
        from generate_series(${from}::int, ${Math.min(from + piece - 1, each)}::int) n
        cross join (select * from repositories_repository where name like 'merges%') r`.execute(db());
      await rawSql`analyze merges_request, repositories_repository`.execute(db());
    },
    async open(id, { number, branch, head }) {
      await rawSql`
        insert into merges_request (${columns})
        select gen_random_uuid(), r.id, ${number}::int, ${branch}, '', 'open', false, r.id, ${branch}, 'main',
          r.owner_id, ${head}, null, now(), now()
        from repositories_repository r where r.id = ${id}::uuid`.execute(db());
    },
  };
}
