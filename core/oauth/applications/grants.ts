// Use cases of a user's grants to applications: list and revoke them.
import type { IssuedCredentials } from '#core/identity/index';
import type { Call, User } from '#core/kernel/caller';
import { found, NotFound } from '#core/kernel/errors';
import type { Page, PageRequest } from '#core/kernel/page';
import type { Client } from '../model/client.ts';
import { noteApp, tellGrant } from '../model/events.ts';
import { endGrantsOfOwner } from './owner-suspension.ts';
import { mostGrants, type Grant } from '../model/grant.ts';
import type { OAuthParts } from '../model/parts.ts';

/** A grant and its client. */
export interface ListedGrant {
  readonly grant: Grant;
  readonly client: Client;
}

const missing = 'There is no such grant';

/** Maximum number of grants removed when one is added. */
const mostDropped = 100;

/**
 * Makes room for one more grant of the caller: deletes those used least recently, with the tokens under them. Must run
 * inside a unit of work that has locked the account.
 */
export async function roomForGrant(parts: OAuthParts, call: Call<User>): Promise<void> {
  const { grants, clients } = parts;
  const userId = call.caller.id;
  if ((await grants.count({ userId })) < mostGrants) return;
  const { items, total } = await grants.page(
    { where: { userId }, orderBy: ['updatedAt', 'id'] },
    { page: 1, perPage: mostDropped },
  );
  const dropped = items.slice(0, total - mostGrants + 1);
  await grants.deleteMany({ where: { userId }, among: { id: dropped.map(({ id }) => id) } });
  const granted = await clientsOf(clients, dropped);
  for (const { clientId: id, resource } of dropped) {
    const client = granted.get(id) ?? { id, clientId: '' };
    await noteApp(parts, call, 'oauth_grant.revoked', client, { resource, dropped: true });
  }
}

/** The clients of the grants by id, in one query. */
async function clientsOf(
  clients: OAuthParts['clients'],
  grants: readonly Grant[],
): Promise<ReadonlyMap<string, Client>> {
  const ids = [...new Set(grants.map(({ clientId }) => clientId))];
  const named = await clients.find({ where: {}, among: { id: ids }, orderBy: ['id'] });
  return new Map(named.map((client) => [client.id, client]));
}

export function grantUseCases(parts: OAuthParts) {
  const { grants, clients, vouching, unitOfWork } = parts;
  return {
    /** The most recently used or changed first. */
    async list(call: Call<User>, page: PageRequest): Promise<Page<ListedGrant>> {
      const listed = await grants.page(
        { where: { userId: call.caller.id }, orderBy: [{ desc: 'updatedAt' }, 'id'] },
        page,
      );
      const granted = await clientsOf(clients, listed.items);
      return {
        ...listed,
        items: listed.items.flatMap((grant) => {
          const client = granted.get(grant.clientId);
          return client === undefined ? [] : [{ grant, client }];
        }),
      };
    },

    /** Deletes all grants of the caller to a client, with all tokens. @throws {NotFound} */
    async revoke(call: Call<User>, { clientId }: { readonly clientId: string }): Promise<void> {
      const client = found(await clients.findOne({ clientId }), missing);
      const { id: userId } = call.caller;
      await unitOfWork.run(async () => {
        await vouching.held(userId);
        if ((await grants.deleteAll({ userId, clientId: client.id })) === 0) throw new NotFound(missing);
        await tellGrant(parts, call, 'oauth_grant.revoked', client);
      });
    },

    /** The port by which all credentials of an account are revoked. */
    issued: {
      what: 'oauth_grants_revoked',
      revokeAll: (userId) => grants.deleteAll({ userId }),
      revokeOwned: async (ownerId) => ({ oauth_apps_suspended: await endGrantsOfOwner(parts, ownerId) }),
    } satisfies IssuedCredentials,
  };
}
