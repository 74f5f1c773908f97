// Events and audit actions of rate limits.
import type { AuditAction } from '#core/kernel/services/audit';
import type { EventType } from '#core/kernel/storage/events';

declare module '#core/kernel/storage/events' {
  interface EventPayloads {
    'rate_limit.changed': { readonly scope: string };
  }
}

/** Actions of this area that write an audit entry. See docs/api/audit.md. */
declare module '#core/kernel/services/audit' {
  interface AuditActions {
    'rate_limit.updated': true;
    'rate_limit.reset': true;
    'rate_limit_override.set': true;
    'rate_limit_override.deleted': true;
  }
}

/** The event types that the plugin of this area emits. */
export const limitEvents = ['rate_limit.changed'] as const satisfies readonly EventType[];

/** The audit actions that the plugin of this area appends. */
export const limitAudits = [
  'rate_limit.updated',
  'rate_limit.reset',
  'rate_limit_override.set',
  'rate_limit_override.deleted',
] as const satisfies readonly AuditAction[];
