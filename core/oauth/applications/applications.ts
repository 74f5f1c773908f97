// Use cases of applications for their owners (operations whose id starts with `application`).
import type { Call, User } from '#core/kernel/caller';
import { apiNames, changed, given, type Asked } from '#core/kernel/storage/changed';
import { Conflict, found, Unauthorized, Unprocessable } from '#core/kernel/errors';
import type { Page, PageRequest } from '#core/kernel/page';
import { checkClient, isConfidential, type Client, type ClientMembers } from '../model/client.ts';
import { tellApp } from '../model/events.ts';
import { nameKeyOf, newClient, newSecret, type NewClient } from './new-client.ts';
import type { OAuthParts } from '../model/parts.ts';
import { knownScopes } from '../model/scopes.ts';

/** The members of a new application. */
export type NewApplication = ClientMembers & { readonly confidential: boolean };
/** Identifies an application. */
export type Which = Pick<Client, 'id'>;

/** Maximum number of applications per user. */
const mostOwned = 100;
export const noApplication = 'There is no such application';

export function applicationUseCases(parts: OAuthParts) {
  const { clients, scopes, vouching, unitOfWork } = parts;

  /** Locks the application. @throws {NotFound} if the caller owns no such application. */
  const held = async (call: Call<User>, { id }: Which): Promise<Client> =>
    found(await clients.update({ id, ownerId: call.caller.id }, {}), noApplication);

  return {
    list: (call: Call<User>, page: PageRequest): Promise<Page<Client>> =>
      clients.page({ where: { ownerId: call.caller.id }, orderBy: [{ desc: 'createdAt' }, 'id'] }, page),

    /** @throws {NotFound} if the caller owns no such application. */
    fetch: async (call: Call<User>, { id }: Which): Promise<Client> =>
      found(await clients.findOne({ id, ownerId: call.caller.id }), noApplication),

    /** @throws {ValidationFailed | Unprocessable} */
    async create(call: Call<User>, { confidential, ...members }: NewApplication): Promise<NewClient> {
      checkClient(members, knownScopes(scopes));
      const ownerId = call.caller.id;
      const authMethod = confidential ? 'client_secret_basic' : 'none';
      const made = newClient(parts, { ...members, ownerId, authMethod }, call.now);
      await unitOfWork.run(async () => {
        if ((await vouching.held(ownerId)) === undefined) throw new Unauthorized('The credential is not valid');
        if ((await clients.count({ ownerId }, 'held')) >= mostOwned)
          throw new Unprocessable('There is no room for another application', {
            detail: `A user has at most ${mostOwned}; delete one`,
          });
        await clients.insert(made.client);
        const { name, scopes: allowed, redirectUris } = made.client;
        const details = { name, confidential, scopes: allowed, redirect_uris: redirectUris };
        await tellApp(parts, call, 'oauth_app.created', made.client, details);
      });
      return made;
    },

    /** Scopes removed from the application are also removed from its tokens. @throws {ValidationFailed | NotFound} */
    async update(call: Call<User>, { id, ...asked }: Which & Asked<ClientMembers>): Promise<Client> {
      checkClient(given<ClientMembers>(asked), knownScopes(scopes));
      return unitOfWork.run(async () => {
        const before = await held(call, { id });
        const changes = Object.fromEntries(
          Object.entries(changed<Client>(before, asked)).filter(
            ([member, value]) => JSON.stringify(value) !== JSON.stringify(before[member as keyof Client]),
          ),
        ) as Partial<ClientMembers>;
        if (Object.keys(changes).length === 0) return before;
        const named = changes.name === undefined ? {} : { nameKey: nameKeyOf(changes.name) };
        const rescoped = changes.scopes !== undefined && { scopesChangedAt: call.now };
        const patch = { ...changes, ...named, ...rescoped, updatedAt: call.now };
        const after = found(await clients.update({ id }, patch), noApplication);
        await tellApp(parts, call, 'oauth_app.updated', after, told(changes));
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
        await tellApp(parts, call, 'oauth_app.updated', client, {}, 'oauth_app.secret_rotated');
      });
      return { secret };
    },

    /** Also deletes all its grants. @throws {NotFound} */
    delete: (call: Call<User>, { id }: Which): Promise<void> =>
      unitOfWork.run(async () => {
        const client = await held(call, { id });
        await clients.delete({ id });
        await tellApp(parts, call, 'oauth_app.deleted', client, { name: client.name });
      }),
  };
}

/** The changed members, by their names in the API. */
const told = ({ redirectUris, scopes, ...texts }: Partial<ClientMembers>) => ({
  fields: apiNames(texts),
  ...(redirectUris !== undefined && { redirect_uris: redirectUris }),
  ...(scopes !== undefined && { scopes }),
});
