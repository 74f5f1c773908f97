// Records the change of a rule.
import type { Call, User } from '#core/kernel/caller';
import { auditEntry, type AuditAction, type AuditEntry } from '#core/kernel/services/audit';
import type { LimitParts } from './parts.ts';

/**
 * Writes the audit entry of a changed rule, and emits the event. Must run in the unit of work of the change.
 * @param resource the group or override.
 */
export async function tellRule(
  { audit, events }: Pick<LimitParts, 'audit' | 'events'>,
  call: Call<User>,
  action: AuditAction & `rate_limit${string}`,
  resource: string,
  details: { readonly scope: string } & AuditEntry['details'],
): Promise<void> {
  await audit.append(auditEntry(call, action, resource, details));
  const about = { aggregate: resource, actorId: call.caller.id };
  await events.emit({ type: 'rate_limit.changed', ...about, payload: { scope: details.scope } });
}
