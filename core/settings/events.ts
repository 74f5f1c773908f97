// The events of settings, and what of them is audited. Payloads hold the key; a listener asks `Settings` for the value.

declare module '#core/kernel/events' {
  interface EventPayloads {
    'setting.changed': { readonly key: string };
  }
}

/** What of this area leaves an entry in the audit log; docs/api/audit.md says when. */
declare module '#core/kernel/audit' {
  interface AuditActions {
    'setting.updated': true;
  }
}

/** The aggregate under which the events of one setting are ordered. */
export const settingAggregate = (key: string): string => `setting:${key}`;
