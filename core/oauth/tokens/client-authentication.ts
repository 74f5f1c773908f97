// Authenticates clients at the token, revocation and introspection endpoints (RFC 6749, section 2.3).
import { isConfidential, type Client } from '../model/client.ts';
import { InvalidClient, InvalidRequest } from '../model/errors.ts';
import type { OAuthParts } from '../model/parts.ts';
import { withOwner } from '../applications/owner-suspension.ts';

/** The parts of a request that authenticate the client. */
export interface ClientProof {
  /** The Authorization header. */
  readonly authorization: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
}

interface Credentials {
  readonly clientId: string;
  readonly secret: string | undefined;
  readonly basic: boolean;
}

/** Compared if there is no stored secret, so that an unknown client takes the same time as a known one. */
const nothing = '0'.repeat(64);

/** @throws {InvalidRequest | InvalidClient} */
export async function authenticateClient(
  parts: Pick<OAuthParts, 'clients' | 'digests' | 'users'>,
  proof: ClientProof,
): Promise<Client> {
  const { clients, digests } = parts;
  const { clientId, secret, basic } = presented(proof);
  const client = await clients.findOne({ clientId });
  const same = digests.same(digests.hash(secret ?? ''), client?.secretHash ?? nothing);
  // A public client must not send a secret; a confidential client must send the correct one.
  const proved = client !== undefined && (isConfidential(client) ? secret !== undefined && same : secret === undefined);
  if (!proved || (await withOwner(parts, client)).suspended) throw new InvalidClient('client', basic);
  return client;
}

function presented({ authorization, clientId, clientSecret }: ClientProof): Credentials {
  if (authorization === undefined) {
    if (clientId === undefined) throw new InvalidClient('client');
    return { clientId, secret: clientSecret, basic: false };
  }
  if (clientSecret !== undefined)
    throw new InvalidRequest('The client must prove itself in one way: by HTTP Basic or in the body');
  const pair = basicPair(authorization);
  if (pair === undefined) throw new InvalidClient('client', true);
  if (clientId !== undefined && clientId !== pair.clientId)
    throw new InvalidRequest('The client_id of the body is not that of the Authorization header');
  return { ...pair, basic: true };
}

/** Parses the Basic credentials. Both halves are form-encoded (RFC 6749, section 2.3.1). */
function basicPair(authorization: string): { readonly clientId: string; readonly secret: string } | undefined {
  const [scheme = '', value = '', ...rest] = authorization.trim().split(/ +/);
  if (scheme.toLowerCase() !== 'basic' || rest.length > 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return undefined;
  try {
    const pair = atob(value);
    const colon = pair.indexOf(':');
    const decoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));
    const clientId = decoded(pair.slice(0, colon));
    // PostgreSQL text cannot contain NUL.
    if (colon === -1 || clientId.includes('\0')) return undefined;
    return { clientId, secret: decoded(pair.slice(colon + 1)) };
  } catch {
    return undefined;
  }
}
