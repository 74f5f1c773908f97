// The audit entry of what the system itself does to an account: no caller, no address.
import type { AuditEntry } from '#core/kernel/audit';
import type { Clock } from '#core/kernel/time';

export const systemEntry = (
  clock: Clock,
  action: string,
  userId: string,
  details: AuditEntry['details'],
): AuditEntry => ({
  actorId: undefined,
  actorUsername: 'system',
  action,
  resource: `user:${userId}`,
  ip: '',
  userAgent: '',
  details,
  at: clock.now(),
});
