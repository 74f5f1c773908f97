// Writes audit entries in the unit of work of the change that they record.
import { AuditUnwritten, type AuditLog } from '#core/kernel/services/audit';
import { HexforgeError, Unavailable } from '#core/kernel/errors';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { AuditStore } from './ports.ts';
import { cleanText, redact } from './redaction.ts';

const bounds = { actorUsername: 100, action: 100, resource: 300, ip: 64, userAgent: 512 } as const;

interface Parts {
  readonly store: AuditStore;
  readonly unitOfWork: UnitOfWork;
}

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
