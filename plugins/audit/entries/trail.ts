// The audit trail of one resource, in PostgreSQL.
import { countOf, offsetOf, type AuditTrail, type InferKyselyDB, type SqlDatabase } from 'hexforge/plugin';
import type { EntryTable } from '../tables.ts';

type Rows = InferKyselyDB<typeof EntryTable>;

export function sqlAuditTrail(db: SqlDatabase): AuditTrail {
  const about = (resource: string) => db.kysely<Rows>().selectFrom('audit_entry').where('resource', '=', resource);
  return {
    async about(resource, page) {
      const found = await about(resource)
        .selectAll()
        .orderBy('id', 'desc')
        .limit(page.perPage)
        .offset(offsetOf(page))
        .execute();
      const total = await countOf(about(resource));
      const items = found.map(({ actor_id, actor_username, user_agent, id, ...entry }) => ({
        ...entry,
        id: Number(id),
        actorId: actor_id ?? undefined,
        actorUsername: actor_username ?? undefined,
        userAgent: user_agent,
      }));
      return { items, total, ...page };
    },
  } satisfies AuditTrail;
}
