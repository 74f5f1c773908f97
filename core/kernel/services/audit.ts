// The audit log: an entry is written in the same transaction as the change that it records.
import type { Call } from '../caller.ts';
import { Unavailable } from '../errors.ts';
import { declarePort } from '../ports.ts';

/**
 * Open: every area adds the actions that write an audit entry, such as `'user.created': true`. docs/api/audit.md lists
 * them. An unknown action does not compile.
 */
export interface AuditActions {}
/** Names with dots, such as `user.created` and `token.revoked`. */
export type AuditAction = keyof AuditActions & string;

/** One entry of the audit log: actor, action, resource, address, user agent and time. */
export interface AuditEntry {
  /** Undefined for an anonymous caller and for the system. */
  readonly actorId: string | undefined;
  readonly actorUsername: string | undefined;
  readonly action: AuditAction;
  /** `type:id`. */
  readonly resource: string;
  readonly ip: string;
  readonly userAgent: string;
  /** Must not contain secrets. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

/** The port of the audit log. */
export interface AuditLog {
  /**
   * Writes inside the current unit of work, or opens one (for example for a rejected login, which changes nothing
   * else).
   */
  append(entry: AuditEntry): Promise<void>;
}

/** 503: the audit log could not store the entry, so the change that it would record is not made. */
export class AuditUnwritten extends Unavailable {
  constructor(cause: unknown) {
    super('The audit log could not take an entry, so nothing was changed', {
      detail: 'Try again later; the log of the server says more',
      cause,
    });
  }
}

/**
 * Wraps an audit log so that entries are skipped if no audit log is available. Used for sign-in, sign-out, rejected
 * sign-ins and the first administrator, so that an instance without the plugin "audit" can still be used. Every other
 * change is rejected with 503 on such an instance.
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

/** An entry with the actor, address, user agent and time of a call. */
export function auditEntry(
  call: Call,
  action: AuditAction,
  resource: string,
  details: AuditEntry['details'] = {},
): AuditEntry {
  const { caller, ip, userAgent, now: at } = call;
  const actor = caller.kind === 'user' ? caller : undefined;
  return { actorId: actor?.id, actorUsername: actor?.username, action, resource, ip, userAgent, details, at };
}

/** An entry for an action of the instance itself, or of an operator on its machine: no caller and no address. */
export const systemEntry = (
  at: Date,
  action: AuditAction,
  resource: string,
  details: AuditEntry['details'] = {},
): AuditEntry => ({
  actorId: undefined,
  actorUsername: 'system',
  action,
  resource,
  ip: '',
  userAgent: '',
  details,
  at,
});

declare module '../ports.ts' {
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
