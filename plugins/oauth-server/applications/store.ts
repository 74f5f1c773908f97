// The stores of clients, in SQL and in memory: simple rows, a search, and the removal of unused clients.
import { countOf, offsetOf, rawSql, type MemoryDatabase, type SqlDatabase } from 'hexforge/plugin';
import type { Client, ClientStore } from 'hexforge/oauth';
import { clientRows, db, grantRows } from '../tables.ts';

export function sqlClientStore(database: SqlDatabase): ClientStore {
  const all = clientRows.sql(database);
  return {
    ...all,
    async search(q, page) {
      if (q === undefined) return all.page({ where: {}, orderBy: ['nameKey', { desc: 'createdAt' }, 'id'] }, page);
      const needle = q.toLowerCase();
      const matching = () =>
        db(database)
          .selectFrom('oauth_server_client')
          .where((is) =>
            is.or([
              is(rawSql<number>`strpos(name_key, ${needle})`, '>', 0),
              is(rawSql<number>`strpos(client_id, ${needle})`, '>', 0),
            ]),
          );
      const found = await matching()
        .select('id')
        .orderBy('name_key')
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(page.perPage)
        .offset(offsetOf(page))
        .execute();
      const total = await countOf(matching());
      const ids = found.map(({ id }) => id);
      const items = await all.find({
        where: {},
        among: { id: ids },
        orderBy: ['nameKey', { desc: 'createdAt' }, 'id'],
      });
      return { items, total, ...page };
    },
    async pruneUnused(since, most) {
      const unused = db(database)
        .selectFrom('oauth_server_client')
        .select('id')
        .where('owner_id', 'is', null)
        .where('created_at', '<=', since)
        .where((is) => is.or([is('last_used_at', 'is', null), is('last_used_at', '<=', since)]))
        .where(
          rawSql<boolean>`not exists (select from oauth_server_grant g where g.client_id = oauth_server_client.id)`,
        )
        .limit(most);
      const { numDeletedRows } = await db(database)
        .deleteFrom('oauth_server_client')
        .where('id', 'in', unused)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  } satisfies ClientStore;
}

export function memoryClientStore(database: MemoryDatabase): ClientStore {
  const { table, ...all } = clientRows.memory(database);
  const grants = grantRows.memory(database).table;
  return {
    ...all,
    async search(q, page) {
      const needle = q?.toLowerCase() ?? '';
      const where = ({ nameKey, clientId }: Client): boolean => nameKey.includes(needle) || clientId.includes(needle);
      const orderBy = ['nameKey', { desc: 'createdAt' }, 'id'] as const;
      return {
        items: table.find({ where, orderBy, limit: page.perPage, offset: offsetOf(page) }),
        total: table.count(where),
        ...page,
      };
    },
    async pruneUnused(since, most) {
      const where = ({ id, ownerId, createdAt, lastUsedAt }: Client): boolean =>
        ownerId === null &&
        createdAt <= since &&
        (lastUsedAt === null || lastUsedAt <= since) &&
        grants.count({ clientId: id }) === 0;
      return table.find({ where, limit: most }).filter(({ id }) => table.delete(id)).length;
    },
  } satisfies ClientStore;
}
