// Use cases of applications for their owners (operations whose id starts with `application`).
import { auditEntry } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import { changed } from '#core/kernel/storage/changed';
import { Conflict, found, Unauthorized, Unprocessable } from '#core/kernel/errors';
import type { Page, PageRequest } from '#core/kernel/page';
import { checkClient, isConfidential, type Client, type ClientMembers } from '../model/client.ts';
import { appEvent } from '../model/events.ts';
import { nameKeyOf, newClient, newSecret, type NewClient } from './new-client.ts';
import type { OAuthParts } from '../model/parts.ts';
import { knownScopes } from '../model/scopes.ts';

/** The members of a new application. */
export type NewApplication = ClientMembers & { readonly confidential: boolean };
/** Identifies an application. */
type Which = Pick<Client, 'id'>;

/** Maximum number of applications per user. */
const mostOwned = 100;
const missing = 'There is no such application';

export function applications(parts: OAuthParts) {
  const { clients, scopes, vouching, audit, events, unitOfWork } = parts;

  /** Locks the application. @throws {NotFound} if the caller owns no such application. */
  const held = async (call: Call<User>, { id }: Which): Promise<Client> =>
    found(await clients.update({ id, ownerId: call.caller.id }, {}), missing);

  return {
    list: (call: Call<User>, page: PageRequest): Promise<Page<Client>> =>
      clients.page({ where: { ownerId: call.caller.id }, orderBy: [{ desc: 'createdAt' }, 'id'] }, page),

    /** @throws {NotFound} if the caller owns no such application. */
    fetch: async (call: Call<User>, { id }: Which): Promise<Client> =>
      found(await clients.findOne({ id, ownerId: call.caller.id }), missing),

    /** @throws {ValidationFailed | Unprocessable} */
    async create(call: Call<User>, { confidential, ...members }: NewApplication): Promise<NewClient> {
      checkClient(members, knownScopes(scopes));
      const ownerId = call.caller.id;
      const made = newClient(
        parts,
        { ...members, ownerId, authMethod: confidential ? 'client_secret_basic' : 'none' },
        call.now,
      );
      await unitOfWork.run(async () => {
        if ((await vouching.held(ownerId)) === undefined) throw new Unauthorized('The credential is not valid');
        if ((await clients.count({ ownerId }, 'held')) >= mostOwned)
          throw new Unprocessable('There is no room for another application', {
            detail: `A user has at most ${mostOwned}; delete one`,
          });
        await clients.insert(made.client);
        const { id, clientId, name, redirectUris } = made.client;
        await audit.append(
          auditEntry(call, 'oauth_app.created', `oauth_app:${id}`, {
            client_id: clientId,
            name,
            confidential,
            scopes: members.scopes,
            redirect_uris: redirectUris,
          }),
        );
        await events.emit(appEvent('oauth_app.created', id, ownerId));
      });
      return made;
    },

    /** Scopes removed from the application are also removed from its tokens. @throws {ValidationFailed | NotFound} */
    async update(call: Call<User>, { id, ...asked }: Which & Partial<ClientMembers>): Promise<Client> {
      checkClient(asked, knownScopes(scopes));
      return unitOfWork.run(async () => {
        const before = await held(call, { id });
        const changes = Object.fromEntries(
          Object.entries(changed<Client>(before, asked)).filter(
            ([member, value]) => JSON.stringify(value) !== JSON.stringify(before[member as keyof Client]),
          ),
        ) as Partial<ClientMembers>;
        const fields = Object.keys(changes);
        if (fields.length === 0) return before;
        const named = changes.name === undefined ? {} : { nameKey: nameKeyOf(changes.name) };
        const after = found(await clients.update({ id }, { ...changes, ...named, updatedAt: call.now }), missing);
        await audit.append(
          auditEntry(call, 'oauth_app.updated', `oauth_app:${id}`, { client_id: after.clientId, ...told(changes) }),
        );
        await events.emit(appEvent('oauth_app.updated', id, call.caller.id));
        return after;
      });
    },

    /** Invalidates the previous secret. @throws {NotFound} @throws {Conflict} for a public client. */
    async rotateSecret(call: Call<User>, { id }: Which): Promise<{ readonly secret: string }> {
      const { secret, secretHash } = newSecret(parts);
      await unitOfWork.run(async () => {
        const client = await held(call, { id });
        if (!isConfidential(client))
          throw new Conflict('A public application has no secret', { detail: 'It proves itself by PKCE' });
        await clients.update({ id }, { secretHash, updatedAt: call.now });
        await audit.append(
          auditEntry(call, 'oauth_app.secret_rotated', `oauth_app:${id}`, { client_id: client.clientId }),
        );
        await events.emit(appEvent('oauth_app.updated', id, call.caller.id));
      });
      return { secret };
    },

    /** Also deletes all its grants. @throws {NotFound} */
    async delete(call: Call<User>, { id }: Which): Promise<void> {
      await unitOfWork.run(async () => {
        const { clientId, name } = await held(call, { id });
        await clients.delete({ id });
        await audit.append(auditEntry(call, 'oauth_app.deleted', `oauth_app:${id}`, { client_id: clientId, name }));
        await events.emit(appEvent('oauth_app.deleted', id, call.caller.id));
      });
    },
  };
}

/** The changed members, by their names in the API. */
const told = ({ redirectUris, scopes, ...texts }: Partial<ClientMembers>) => ({
  fields: Object.keys(texts).map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  ...(redirectUris !== undefined && { redirect_uris: redirectUris }),
  ...(scopes !== undefined && { scopes }),
});
