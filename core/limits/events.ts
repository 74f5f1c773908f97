// The events of rate limits, and what of them is audited.
import type { EventType } from '#core/kernel/events';

declare module '#core/kernel/events' {
  interface EventPayloads {
    'rate_limit.changed': { readonly scope: string };
  }
}

/** What of this area leaves an entry in the audit log; docs/api/audit.md says when. */
declare module '#core/kernel/audit' {
  interface AuditActions {
    'rate_limit.updated': true;
    'rate_limit.reset': true;
    'rate_limit_override.set': true;
    'rate_limit_override.deleted': true;
  }
}

/** What the plugin of this area emits. */
export const limitEvents = ['rate_limit.changed'] as const satisfies readonly EventType[];
