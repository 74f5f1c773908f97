// The events of settings. Payloads hold the key; a listener asks `Settings` for the value.

declare module '#core/kernel/events' {
  interface EventPayloads {
    'setting.changed': { readonly key: string };
  }
}

/** The aggregate under which the events of one setting are ordered. */
export const settingAggregate = (key: string): string => `setting:${key}`;
