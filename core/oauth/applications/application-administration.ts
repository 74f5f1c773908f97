// Use cases that administer all applications of the instance (operations whose id starts with `adminApplication`).
import type { TrailEntry } from '#core/kernel/services/audit-trail';
import type { Call, User } from '#core/kernel/caller';
import { found, Unavailable } from '#core/kernel/errors';
import type { Page, PageRequest } from '#core/kernel/page';
import { noApplication, type Which } from './applications.ts';
import type { Client } from '../model/client.ts';
import { tellApp } from '../model/events.ts';
import { withOwner, withOwners } from './owner-suspension.ts';
import type { Grant } from '../model/grant.ts';
import type { OAuthParts } from '../model/parts.ts';

export function applicationAdministration(parts: OAuthParts) {
  const { clients, grants, unitOfWork, trail } = parts;

  /** Has no effect if the state is already the requested one. */
  const suspension = async (call: Call<User>, { id }: Which, suspended: boolean): Promise<Client> =>
    withOwner(
      parts,
      await unitOfWork.run(async () => {
        const before = found(await clients.update({ id }, {}), noApplication);
        if (before.suspended === suspended) return before;
        const after = found(await clients.update({ id }, { suspended, updatedAt: call.now }), noApplication);
        const revoked = suspended && { grants_revoked: await grants.deleteAll({ clientId: id }) };
        const type = suspended ? 'oauth_app.suspended' : 'oauth_app.unsuspended';
        await tellApp(parts, call, type, after, { name: after.name, ...revoked });
        return after;
      }),
    );

  return {
    async list(_call: Call<User>, q: string | undefined, page: PageRequest): Promise<Page<Client>> {
      const found = await clients.search(q, page);
      return { ...found, items: await withOwners(parts, found.items) };
    },

    /** @throws {NotFound} if the application does not exist. */
    fetch: async (_call: Call<User>, { id }: Which): Promise<Client> =>
      withOwner(parts, found(await clients.findOne({ id }), noApplication)),

    /** Revokes all its codes, tokens and grants permanently. @throws {NotFound} */
    suspend: (call: Call<User>, which: Which): Promise<Client> => suspension(call, which, true),

    /** An application of a suspended owner stays suspended until the owner is active. @throws {NotFound} */
    unsuspend: (call: Call<User>, which: Which): Promise<Client> => suspension(call, which, false),

    /** Also deletes all its grants. @throws {NotFound} */
    delete: (call: Call<User>, { id }: Which): Promise<void> =>
      unitOfWork.run(async () => {
        const client = found(await clients.delete({ id }), noApplication);
        const { name, ownerId } = client;
        await tellApp(parts, call, 'oauth_app.deleted', client, { name, owner_id: ownerId });
      }),

    /** The grants of all users to the application. @throws {NotFound} */
    async grants(_call: Call<User>, { id: clientId }: Which, page: PageRequest): Promise<Page<Grant>> {
      found(await clients.findOne({ id: clientId }), noApplication);
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
