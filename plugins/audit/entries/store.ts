// Audit entries in PostgreSQL.
import type { SqlDatabase } from 'hexforge/plugin';
import type { AuditStore } from 'hexforge/audit';
import { EntryTable } from '../tables.ts';

export function sqlAuditStore(db: SqlDatabase): AuditStore {
  return {
    async append({ actorId, actorUsername, ...entry }) {
      await db.em().insert(EntryTable, { ...entry, actorId: actorId ?? null, actorUsername: actorUsername ?? null });
    },
  } satisfies AuditStore;
}
