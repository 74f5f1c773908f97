// Use cases of the audit log, for its own plugin: writes and reads entries.
import type { Call, User } from '#core/kernel/caller';
import { HexforgeError, Unavailable, found } from '#core/kernel/errors';
import { AuditUnwritten, type AuditLog } from '#core/kernel/services/audit';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { AuditFilter, AuditStore, AuditQuery, NumberedEntry } from './ports.ts';
import { cleanText, redact } from './redaction.ts';

const bounds = { actorUsername: 100, action: 100, resource: 300, ip: 64, userAgent: 512 } as const;

interface Parts {
  readonly store: AuditStore;
  readonly unitOfWork: UnitOfWork;
}

/** Writes entries in the unit of work of the change that they record. */
export function auditLog({ store, unitOfWork }: Parts): AuditLog {
  return {
    async append(entry) {
      const { actorUsername } = entry;
      const clean = {
        ...entry,
        actorUsername: actorUsername === undefined ? undefined : cleanText(actorUsername, bounds.actorUsername),
        action: cleanText(entry.action, bounds.action),
        resource: cleanText(entry.resource, bounds.resource),
        ip: cleanText(entry.ip, bounds.ip),
        userAgent: cleanText(entry.userAgent, bounds.userAgent),
        details: redact(entry.details),
      };
      try {
        await (unitOfWork.active ? store.append(clean) : unitOfWork.run(() => store.append(clean)));
      } catch (error) {
        // A full disk keeps its own error; every other failure is reported as a failure of the audit log.
        throw error instanceof HexforgeError && !(error instanceof Unavailable) ? error : new AuditUnwritten(error);
      }
    },
  } satisfies AuditLog;
}

/** No entry is older. Earlier dates are replaced by this one because PostgreSQL does not support all of them. */
const beginning = new Date(0);
const notBefore = (date: Date | undefined): Date | undefined =>
  date !== undefined && date < beginning ? beginning : date;

/** The most entries of one export, and how many of them are read at once. */
export const mostExported = 100_000;
const batch = 500;

/** The use cases of the operations `auditEntryList` and `auditEntryFetch`, and of the export. */
export function auditReading({ store }: { readonly store: AuditStore }) {
  return {
    list: (_call: Call<User>, { from, to, ...query }: AuditQuery) =>
      store.list({ ...query, from: notBefore(from), to: notBefore(to) }),

    /** The matching entries, newest first, at most `mostExported`. */
    async *all(_call: Call<User>, { from, to, ...given }: AuditFilter): AsyncGenerator<readonly NumberedEntry[]> {
      const filter = { ...given, from: notBefore(from), to: notBefore(to) };
      let last: number | undefined;
      for (let read = 0; read < mostExported; read += batch) {
        const some = await store.before(filter, last, batch);
        if (some.length > 0) yield some;
        if (some.length < batch) return;
        last = some.at(-1)?.id;
      }
    },

    /** @throws {NotFound} if no entry has this id. */
    fetch: async (_call: Call<User>, { id }: { readonly id: number }): Promise<NumberedEntry> =>
      found(Number.isSafeInteger(id) ? await store.byId(id) : undefined, 'There is no such entry'),
  };
}

export type AuditReading = ReturnType<typeof auditReading>;
