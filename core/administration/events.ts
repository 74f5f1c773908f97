// The events of the administration of the instance, and what of it is audited.
import type { EventType } from '#core/kernel/events';

declare module '#core/kernel/events' {
  interface EventPayloads {
    'admin_scope.granted': { readonly user_id: string; readonly scope: string };
    'admin_scope.revoked': { readonly user_id: string; readonly scope: string };
  }
}

/** What of this area leaves an entry in the audit log; docs/api/audit.md says when. */
declare module '#core/kernel/audit' {
  interface AuditActions {
    'admin_scope.granted': true;
    'admin_scope.revoked': true;
    'plugin.enabled': true;
    'plugin.disabled': true;
  }
}

/** What the plugin of this area emits. */
export const administrationEvents = [
  'admin_scope.granted',
  'admin_scope.revoked',
] as const satisfies readonly EventType[];
