// Audit entries in PostgreSQL.
import { countOf, rawSql, type Kysely, type Selectable, type SqlDatabase } from 'hexforge/plugin';
import type { AuditStore, NumberedEntry } from 'hexforge/audit';
import { EntryTable, type AuditRows } from '../tables.ts';

const entryOf = (row: Selectable<AuditRows['audit_entry']>): NumberedEntry => ({
  id: row.id,
  actorId: row.actor_id ?? undefined,
  actorUsername: row.actor_username ?? undefined,
  action: row.action,
  resource: row.resource,
  ip: row.ip,
  userAgent: row.user_agent,
  details: row.details,
  at: row.at,
});

/** `%`, `_` and `\` stand for themselves. */
const literally = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

export function sqlAuditStore(db: SqlDatabase): AuditStore {
  const entries = () => (db.kysely() as Kysely<AuditRows>).selectFrom('audit_entry');
  return {
    async append({ actorId, actorUsername, ...entry }) {
      await db.em().insert(EntryTable, { ...entry, actorId: actorId ?? null, actorUsername: actorUsername ?? null });
    },
    async list({ actor, action, from, to, limit, offset }) {
      const matching = entries()
        // Usernames are ASCII; what another collation calls lower case is of no use.
        .$if(actor !== undefined, (all) =>
          all.where(rawSql`lower(actor_username collate "C")`, '=', (actor ?? '').toLowerCase()),
        )
        .$if(action !== undefined, (all) => all.where('action', 'like', `${literally(action ?? '')}%`))
        .$if(from !== undefined, (all) => all.where('at', '>=', from ?? new Date()))
        .$if(to !== undefined, (all) => all.where('at', '<=', to ?? new Date()));
      const found = await matching.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute();
      return { entries: found.map(entryOf), total: await countOf(matching) };
    },
    async byId(id) {
      const row = await entries().selectAll().where('id', '=', id).executeTakeFirst();
      return row && entryOf(row);
    },
  } satisfies AuditStore;
}
