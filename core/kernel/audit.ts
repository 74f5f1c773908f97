// The audit log: an entry is written in the same transaction as the change it records, or the change does not happen.
import type { Call } from './caller.ts';
import { Unavailable } from './errors.ts';
import { declarePort } from './ports.ts';

/**
 * Open: every area adds the actions that leave an entry, such as `'user.created': true`; docs/api/audit.md lists them.
 * An action that is not among them does not compile.
 */
export interface AuditActions {}
/** Dotted: `user.created`, `token.revoked`. */
export type AuditAction = keyof AuditActions & string;

/** One entry of the audit log: who did what to which thing, from where and when. */
export interface AuditEntry {
  /** Undefined for an anonymous caller or the system itself. */
  readonly actorId: string | undefined;
  readonly actorUsername: string | undefined;
  readonly action: AuditAction;
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

/** 503: the audit log is kept and could not take an entry, so what it would have told of does not happen either. */
export class AuditUnwritten extends Unavailable {
  constructor(cause: unknown) {
    super('The audit log could not take an entry, so nothing was changed', {
      detail: 'Try again later; the log of the server says more',
      cause,
    });
  }
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
        if (!(error instanceof Unavailable) || error instanceof AuditUnwritten) throw error;
      }
    },
  };
}

/** The entry of a call: who, from where, when. */
export function auditEntry(
  call: Call,
  action: AuditAction,
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

/** The entry of what the instance does by itself, or an operator at its machine: no caller, no address. */
export function systemEntry(
  now: Date,
  action: AuditAction,
  resource: string,
  details: AuditEntry['details'] = {},
): AuditEntry {
  return {
    actorId: undefined,
    actorUsername: 'system',
    action,
    resource,
    ip: '',
    userAgent: '',
    details,
    at: now,
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
