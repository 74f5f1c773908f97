// The applications of a suspended owner are suspended as long as the owner is.
import type { Client } from '../model/client.ts';
import type { OAuthParts } from '../model/parts.ts';

/** Marks the clients of suspended owners as suspended. One query for all. */
export async function withOwners<C extends Pick<Client, 'ownerId' | 'suspended'>>(
  { users }: Pick<OAuthParts, 'users'>,
  clients: readonly C[],
): Promise<readonly C[]> {
  const owners = clients.flatMap(({ ownerId, suspended }) => (suspended ? [] : (ownerId ?? [])));
  if (owners.length === 0) return clients;
  const active = await users.active(owners);
  return clients.map((client) =>
    client.ownerId === null || active.has(client.ownerId) ? client : { ...client, suspended: true },
  );
}

export async function withOwner<C extends Pick<Client, 'ownerId' | 'suspended'>>(
  parts: Pick<OAuthParts, 'users'>,
  client: C,
): Promise<C> {
  return (await withOwners(parts, [client]))[0] ?? client;
}

/**
 * Deletes the grants of all users to the applications of an owner who is being suspended. Locks the applications first,
 * so that a grant that is being stored is either found here or finds the owner suspended. Must run inside a unit of
 * work.
 * @returns how many applications there are.
 */
export async function endGrantsOfOwner(
  { clients, grants, clock }: Pick<OAuthParts, 'clients' | 'grants' | 'clock'>,
  ownerId: string,
): Promise<number> {
  await clients.updateMany({ where: { ownerId } }, { updatedAt: clock.now() });
  return deleteGrantsOfOwner({ clients, grants }, ownerId);
}

/** @param until only the grants that exist since then. @returns how many applications there are. */
export async function deleteGrantsOfOwner(
  { clients, grants }: Pick<OAuthParts, 'clients' | 'grants'>,
  ownerId: string,
  until?: Date,
): Promise<number> {
  const owned = await clients.find({ where: { ownerId }, orderBy: ['id'] });
  const ranges = until === undefined ? {} : { createdAt: { '<=': until } };
  await grants.deleteMany({ where: {}, among: { clientId: owned.map(({ id }) => id) }, ranges });
  return owned.length;
}
