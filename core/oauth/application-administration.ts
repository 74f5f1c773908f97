// All applications of the instance, for administrators (document A and D: admin:oauth2).
import { auditEntry } from '#core/kernel/audit';
import type { AuditTrail, TrailEntry } from '#core/kernel/audit-trail';
import type { Call, User } from '#core/kernel/caller';
import { found, Unavailable } from '#core/kernel/errors';
import type { Page, PageRequest } from '#core/kernel/page';
import type { Client } from './client.ts';
import { appEvent } from './events.ts';
import type { Grant } from './grant.ts';
import type { OAuthParts } from './parts.ts';

/** Which application. */
type Which = Pick<Client, 'id'>;

const missing = 'There is no such application';

export function applicationAdministration(parts: OAuthParts & { readonly trail: () => AuditTrail | undefined }) {
  const { clients, grants, audit, events, unitOfWork, trail } = parts;

  const fetched = async (_call: Call<User>, { id }: Which): Promise<Client> =>
    found(await clients.findOne({ id }), missing);

  /** Twice is as good as once. */
  const suspension = async (call: Call<User>, { id }: Which, suspended: boolean): Promise<Client> =>
    unitOfWork.run(async () => {
      const before = found(await clients.update({ id }, {}), missing);
      if (before.suspended === suspended) return before;
      const after = found(await clients.update({ id }, { suspended, updatedAt: call.now }), missing);
      const revoked = suspended ? await grants.deleteAll({ clientId: id }) : 0;
      const action = suspended ? 'oauth_app.suspended' : 'oauth_app.unsuspended';
      const details = { client_id: after.clientId, name: after.name, ...(suspended && { grants_revoked: revoked }) };
      await audit.append(auditEntry(call, action, `oauth_app:${id}`, details));
      await events.emit(appEvent(action, id, call.caller.id));
      return after;
    });

  return {
    list: (_call: Call<User>, q: string | undefined, page: PageRequest): Promise<Page<Client>> =>
      clients.search(q, page),

    /** @throws {NotFound} */
    fetch: fetched,

    /** Ends every code, token and grant of it; they do not come back. @throws {NotFound} */
    suspend: (call: Call<User>, which: Which): Promise<Client> => suspension(call, which, true),

    /** @throws {NotFound} */
    unsuspend: (call: Call<User>, which: Which): Promise<Client> => suspension(call, which, false),

    /** With all that was granted to it. @throws {NotFound} */
    async delete(call: Call<User>, { id }: Which): Promise<void> {
      await unitOfWork.run(async () => {
        const { clientId, name, ownerId } = found(await clients.delete({ id }), missing);
        const details = { client_id: clientId, name, owner_id: ownerId };
        await audit.append(auditEntry(call, 'oauth_app.deleted', `oauth_app:${id}`, details));
        await events.emit(appEvent('oauth_app.deleted', id, call.caller.id));
      });
    },

    /** Whose users have granted what. @throws {NotFound} */
    async grants(call: Call<User>, which: Which, page: PageRequest): Promise<Page<Grant>> {
      const { id: clientId } = await fetched(call, which);
      return grants.page({ where: { clientId }, orderBy: [{ desc: 'updatedAt' }, 'id'] }, page);
    },

    /** What the audit log knows of it, also once it is gone. @throws {Unavailable} */
    async audit(_call: Call<User>, { id }: Which, page: PageRequest): Promise<Page<TrailEntry>> {
      const log = trail();
      if (log === undefined)
        throw new Unavailable('The audit log (plugin "audit") is not available', {
          detail: 'Ask the administrator to enable it',
        });
      return log.about(`oauth_app:${id}`, page);
    },
  };
}
