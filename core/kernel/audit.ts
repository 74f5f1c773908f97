// The audit log: an entry is written in the same transaction as the change it records, or the change does not happen.
import type { Call } from './caller.ts';
import { Unavailable } from './errors.ts';
import { declarePort } from './ports.ts';

/** One entry of the audit log: who did what to which thing, from where and when. */
export interface AuditEntry {
  /** Undefined for an anonymous caller or the system itself. */
  readonly actorId: string | undefined;
  readonly actorUsername: string | undefined;
  /** Dotted: `user.created`, `token.revoked`. */
  readonly action: string;
  /** Document C, "Audit entry": `type:id`. */
  readonly resource: string;
  readonly ip: string;
  readonly userAgent: string;
  /** No secret goes here. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

/** The port of the audit log. */
export interface AuditLog {
  /** Appends inside the current unit of work; opens one where none is active (a refused login changes nothing else). */
  append(entry: AuditEntry): Promise<void>;
}

/**
 * The same log for what goes on without one: signing in and out, a refused sign-in, the first administrator. Where no
 * audit log is kept these leave no entry, so that an instance without the plugin can still be used and every other
 * change says 503.
 */
export function whereKept(log: AuditLog): AuditLog {
  return {
    async append(entry) {
      try {
        await log.append(entry);
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
      }
    },
  };
}

/** The entry of a call: who, from where, when. */
export function auditEntry(
  call: Call,
  action: string,
  resource: string,
  details: AuditEntry['details'] = {},
): AuditEntry {
  const actor = call.caller.kind === 'user' ? call.caller : undefined;
  return {
    actorId: actor?.id,
    actorUsername: actor?.username,
    action,
    resource,
    ip: call.ip,
    userAgent: call.userAgent,
    details,
    at: call.now,
  };
}

declare module './ports.ts' {
  interface Ports {
    AuditLog: AuditLog;
  }
}

declarePort('AuditLog', {
  arity: 'single',
  component: 'audit log (plugin "audit")',
  critical: true,
  absent: 'unavailable',
});
