// Events and audit actions of the administration of the instance.
import type { AuditAction } from '#core/kernel/services/audit';
import type { EventType } from '#core/kernel/storage/events';

declare module '#core/kernel/storage/events' {
  interface EventPayloads {
    'admin_scope.granted': { readonly user_id: string; readonly scope: string };
    'admin_scope.revoked': { readonly user_id: string; readonly scope: string };
  }
}

/** Actions of this area that write an audit entry. See docs/api/audit.md. */
declare module '#core/kernel/services/audit' {
  interface AuditActions {
    'admin_scope.granted': true;
    'admin_scope.revoked': true;
    'plugin.enabled': true;
    'plugin.disabled': true;
  }
}

/** The event types that the plugin of this area emits. */
export const administrationEvents = [
  'admin_scope.granted',
  'admin_scope.revoked',
] as const satisfies readonly EventType[];

/** The audit actions that the plugin of this area appends. */
export const administrationAudits = [
  'admin_scope.granted',
  'admin_scope.revoked',
  'plugin.enabled',
  'plugin.disabled',
] as const satisfies readonly AuditAction[];
