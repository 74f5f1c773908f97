// The stores of clients, in SQL and in memory: simple rows, a search, and the removal of unused clients.
import { offsetOf, rawSql, rows, type MemoryDatabase, type SqlDatabase } from 'hexforge/plugin';
import type { Client, ClientStore } from 'hexforge/oauth';
import { clientConstraints, clients, grants } from '../tables-memory.ts';
import { ClientTable, db } from '../tables.ts';

const simple = rows<Client>(ClientTable, clientConstraints);

export function sqlClientStore(database: SqlDatabase): ClientStore {
  const all = simple.sql(database);
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
      const { total } = await matching()
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
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
        .select('oauth_server_client.id')
        .where('owner_id', 'is', null)
        .where('created_at', '<=', since)
        .where((is) => is.or([is('last_used_at', 'is', null), is('last_used_at', '<=', since)]))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('oauth_server_grant')
                .select('oauth_server_grant.id')
                .whereRef('oauth_server_grant.client_id', '=', 'oauth_server_client.id'),
            ),
          ),
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
  const table = clients(database);
  const given = grants(database);
  return {
    ...simple.memory(database),
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
        given.count({ clientId: id }) === 0;
      return table.find({ where, limit: most }).filter(({ id }) => table.delete(id)).length;
    },
  } satisfies ClientStore;
}
