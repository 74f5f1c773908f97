// Events and audit actions of settings. The payload has only the key; a handler reads the value from `Settings`.

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
