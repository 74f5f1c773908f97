// Audit actions of the search area.
import type { AuditAction } from '#core/kernel/services/audit';

/** Actions of this area that write an audit entry. See docs/api/audit.md. */
declare module '#core/kernel/services/audit' {
  interface AuditActions {
    'search.reindexed': true;
  }
}

/** The audit actions that the plugin of this area appends. */
export const searchAudits = ['search.reindexed'] as const satisfies readonly AuditAction[];
