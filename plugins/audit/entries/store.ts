// The store of audit entries in PostgreSQL, and the audit trail of one resource, in SQL and in memory.
import {
  columnsOf,
  countOf,
  rawSql,
  rows,
  storeOf,
  type AuditTrail,
  type Kysely,
  type SqlDatabase,
} from 'hexforge/plugin';
import type { AuditFilter, AuditStore, NumberedEntry } from 'hexforge/audit';
import { EntryTable, type AuditRows } from '../tables.ts';

/** An entry as stored: without an actor, its members are null. */
export type EntryRow = Omit<NumberedEntry, 'actorId' | 'actorUsername'> &
  Record<'actorId' | 'actorUsername', string | null>;

export const entryOf = ({ actorId, actorUsername, ...row }: EntryRow): NumberedEntry => ({
  ...row,
  actorId: actorId ?? undefined,
  actorUsername: actorUsername ?? undefined,
});
export const entryRows = rows<EntryRow>(EntryTable);
const columns = columnsOf(EntryTable, 'audit_entry');

/** Escapes `%`, `_` and `\` for `like`. */
const literally = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

export const auditTrail = storeOf({ entries: entryRows }, ({ entries }): AuditTrail => ({
  async about(resource, page) {
    const { items, ...rest } = await entries.page({ where: { resource }, orderBy: [{ desc: 'id' }] }, page);
    return { ...rest, items: items.map(entryOf) };
  },
}));

export function sqlAuditStore(db: SqlDatabase): AuditStore {
  const entries = () => (db.kysely() as Kysely<AuditRows>).selectFrom('audit_entry');
  /**
   * The stored count plus the entries since then. These are two statements, so that the second is planned for few rows.
   */
  const countOfAll = async (): Promise<number> => {
    const up = await (db.kysely() as Kysely<AuditRows>)
      .selectFrom('audit_count')
      .select(['entries', 'through'])
      .executeTakeFirstOrThrow();
    return up.entries + (await countOf(entries().where('id', '>', up.through)));
  };
  const matching = ({ actor, action, resource, from, to }: AuditFilter) =>
    entries()
      // Usernames are ASCII, so the lower case of the "C" collation is enough.
      .$if(actor !== undefined, (all) =>
        all.where(rawSql`lower(actor_username collate "C")`, '=', (actor ?? '').toLowerCase()),
      )
      .$if(action !== undefined, (all) => all.where('action', 'like', `${literally(action ?? '')}%`))
      .$if(resource !== undefined, (all) => all.where('resource', '=', resource ?? ''))
      .$if(from !== undefined, (all) => all.where('at', '>=', from ?? new Date()))
      .$if(to !== undefined, (all) => all.where('at', '<=', to ?? new Date()));
  const newestFirst = (filter: AuditFilter) => {
    const { from, to } = filter;
    return (
      matching(filter)
        // If `to` is given, starts the scan at the last entry of that time instead of at the newest entry.
        .$if(to !== undefined, (all) =>
          all.where('id', '<=', ({ selectFrom }) =>
            selectFrom('audit_entry as e')
              // `max` of an expression cannot use the id index, which would start at the newest entry again.
              .select(rawSql<number>`max(e.id + 0)`.as('last'))
              .where('e.at', '<=', to ?? new Date())
              .$if(from !== undefined, (older) => older.where('e.at', '>=', from ?? new Date())),
          ),
        )
        .select(columns)
        .orderBy('id', 'desc')
    );
  };
  return {
    async append({ actorId, actorUsername, ...entry }) {
      await db.em().insert(EntryTable, { ...entry, actorId: actorId ?? null, actorUsername: actorUsername ?? null });
    },
    async list({ limit, offset, ...filter }) {
      const found = await newestFirst(filter).limit(limit).offset(offset).execute();
      const everything = Object.values(filter).every((value) => value === undefined);
      const total = await (everything ? countOfAll() : countOf(matching(filter)));
      return { entries: found.map(entryOf), total };
    },
    async before(filter, id, limit) {
      const found = await newestFirst(filter)
        .$if(id !== undefined, (all) => all.where('id', '<', id ?? 0))
        .limit(limit)
        .execute();
      return found.map(entryOf);
    },
    async countUp(now) {
      await rawSql`
        update audit_count set
          entries = entries + (select count(*) from audit_entry where id > through and id <= last),
          through = last, last = coalesce((select max(id) from audit_entry), 0), at = ${now}
        where at <= ${now}::timestamptz - interval '10 minutes'`.execute(db.kysely());
    },
    async byId(id) {
      const row = await entries().select(columns).where('id', '=', id).executeTakeFirst();
      return row && entryOf(row);
    },
  } satisfies AuditStore;
}
