// Events and audit actions of settings. The payload has only the key; a handler reads the value from `Settings`.

import type { AuditAction } from '#core/kernel/services/audit';
declare module '#core/kernel/storage/events' {
  interface EventPayloads {
    'setting.changed': { readonly key: string };
  }
}

/** Actions of this area that write an audit entry. See docs/api/audit.md. */
declare module '#core/kernel/services/audit' {
  interface AuditActions {
    'setting.updated': true;
  }
}

/** The aggregate that orders the events of one setting. */
export const settingAggregate = (key: string): string => `setting:${key}`;

/** The audit actions that the plugin of this area appends. */
export const settingAudits = ['setting.updated'] as const satisfies readonly AuditAction[];
