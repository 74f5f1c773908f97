// Converts applications to JSON, with the names of their owners.
import type { Users } from 'hexforge/identity';
import { isConfidential, type Client, type Grant } from 'hexforge/oauth';
import { presenter, type TrailEntry, type TypeOf } from 'hexforge/plugin';
import { applicationJson, type applicationAuditPageJson } from './schemas.ts';

type ApplicationJson = TypeOf<typeof applicationJson>;
const present = presenter(applicationJson);

/** @param owner The username of the owner. */
export const presentOwned = (client: Client, owner: string | null) =>
  present({ ...client, confidential: isConfidential(client), owner });

/** Loads the owners of all applications with one query. @returns the conversion of each of them. */
export async function applicationPresenter(
  users: Users,
  clients: readonly Client[],
): Promise<(client: Client) => ApplicationJson> {
  const owners = await users.byIds(clients.flatMap(({ ownerId }) => ownerId ?? []));
  return (client) => presentOwned(client, owners.get(client.ownerId ?? '')?.username ?? null);
}

export const presentApplication = async (users: Users, client: Client): Promise<ApplicationJson> =>
  (await applicationPresenter(users, [client]))(client);

/** The members of a grant that its user and administrators see. */
export const presentGrant = ({ scopes, resource, remembered, createdAt, updatedAt }: Grant) => ({
  scopes,
  resource: resource === '' ? null : resource,
  remembered: remembered !== null,
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
});

type EntryJson = TypeOf<typeof applicationAuditPageJson>['items'][number];

export function presentEntry(entry: TrailEntry): EntryJson {
  const colon = entry.resource.indexOf(':');
  return {
    id: String(entry.id),
    actor_id: entry.actorId ?? null,
    actor_username: entry.actorUsername ?? null,
    action: entry.action,
    resource_type: entry.resource.slice(0, colon),
    resource_id: entry.resource.slice(colon + 1),
    resource: entry.resource,
    ip_address: entry.ip,
    user_agent: entry.userAgent,
    details: entry.details,
    created_at: entry.at.toISOString(),
  };
}
