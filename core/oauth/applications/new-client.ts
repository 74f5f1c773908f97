// Builds new clients and their secrets.
import { randomBase62 } from '#core/identity/index';
import { isConfidential, type AuthMethod, type Client, type ClientMembers } from '../model/client.ts';
import { secretLength } from '../model/grant.ts';
import type { OAuthParts } from '../model/parts.ts';

/** A new client with its secret, which is never returned again. */
export interface NewClient {
  readonly client: Client;
  readonly secret: string | undefined;
}

export function newSecret({ ids, digests }: Pick<OAuthParts, 'ids' | 'digests'>): {
  readonly secret: string;
  readonly secretHash: string;
} {
  const secret = randomBase62(ids, secretLength);
  return { secret, secretHash: digests.hash(secret) };
}

/** @param members validated members. */
export function newClient(
  parts: Pick<OAuthParts, 'ids' | 'digests'>,
  members: ClientMembers & { readonly authMethod: AuthMethod; readonly ownerId: string | null },
  now: Date,
): NewClient {
  const made = isConfidential(members) ? newSecret(parts) : undefined;
  const client: Client = {
    ...members,
    id: parts.ids.uuid(),
    clientId: parts.ids.uuid(),
    nameKey: nameKeyOf(members.name),
    scopesChangedAt: null,
    suspended: false,
    secretHash: made?.secretHash ?? null,
    createdAt: now,
    updatedAt: now,
    lastUsedAt: null,
  };
  return { client, secret: made?.secret };
}

/** The form in which names are searched. */
export const nameKeyOf = (name: string): string => name.toLowerCase();
