// Use cases that read the audit log (operations `auditEntryList` and `auditEntryFetch`).
import type { Call, User } from '#core/kernel/caller';
import { found } from '#core/kernel/errors';
import type { AuditQuery, AuditStore, NumberedEntry } from './ports.ts';

/** No entry is older. Earlier dates are replaced by this one because PostgreSQL does not support all of them. */
const beginning = new Date(0);
const notBefore = (date: Date | undefined): Date | undefined =>
  date !== undefined && date < beginning ? beginning : date;

export function auditReading({ store }: { readonly store: AuditStore }) {
  return {
    list: (_call: Call<User>, { from, to, ...query }: AuditQuery) =>
      store.list({ ...query, from: notBefore(from), to: notBefore(to) }),

    /** @throws {NotFound} if no entry has this id. */
    fetch: async (_call: Call<User>, { id }: { readonly id: number }): Promise<NumberedEntry> =>
      found(Number.isSafeInteger(id) ? await store.byId(id) : undefined, 'There is no such entry'),
  };
}

export type AuditReading = ReturnType<typeof auditReading>;
