// Use cases that administer all applications of the instance (operations whose id starts with `adminApplication`).
import { auditEntry } from '#core/kernel/services/audit';
import type { AuditTrail, TrailEntry } from '#core/kernel/services/audit-trail';
import type { Call, User } from '#core/kernel/caller';
import { found, Unavailable } from '#core/kernel/errors';
import type { Page, PageRequest } from '#core/kernel/page';
import type { Client } from '../model/client.ts';
import { appEvent } from '../model/events.ts';
import type { Grant } from '../model/grant.ts';
import type { OAuthParts } from '../model/parts.ts';

/** Identifies an application. */
type Which = Pick<Client, 'id'>;

const missing = 'There is no such application';

export function applicationAdministration(parts: OAuthParts & { readonly trail: () => AuditTrail | undefined }) {
  const { clients, grants, audit, events, unitOfWork, trail } = parts;

  const fetched = async (_call: Call<User>, { id }: Which): Promise<Client> =>
    found(await clients.findOne({ id }), missing);

  /** Has no effect if the state is already the requested one. */
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

    /** @throws {NotFound} if the application does not exist. */
    fetch: fetched,

    /** Revokes all its codes, tokens and grants permanently. @throws {NotFound} */
    suspend: (call: Call<User>, which: Which): Promise<Client> => suspension(call, which, true),

    /** @throws {NotFound} if the application does not exist. */
    unsuspend: (call: Call<User>, which: Which): Promise<Client> => suspension(call, which, false),

    /** Also deletes all its grants. @throws {NotFound} */
    async delete(call: Call<User>, { id }: Which): Promise<void> {
      await unitOfWork.run(async () => {
        const { clientId, name, ownerId } = found(await clients.delete({ id }), missing);
        const details = { client_id: clientId, name, owner_id: ownerId };
        await audit.append(auditEntry(call, 'oauth_app.deleted', `oauth_app:${id}`, details));
        await events.emit(appEvent('oauth_app.deleted', id, call.caller.id));
      });
    },

    /** The grants of all users to the application. @throws {NotFound} */
    async grants(call: Call<User>, which: Which, page: PageRequest): Promise<Page<Grant>> {
      const { id: clientId } = await fetched(call, which);
      return grants.page({ where: { clientId }, orderBy: [{ desc: 'updatedAt' }, 'id'] }, page);
    },

    /** Audit entries about the application, even after it was deleted. @throws {Unavailable} */
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
