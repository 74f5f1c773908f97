// Authenticates OAuth2 access tokens. A revoked token, one whose account may not sign in, and one of an application
// whose owner is suspended are rejected.
import type { CredentialReader } from '#core/kernel/access/credentials';
import { accessTokens, type AccessGrant } from '../model/grant.ts';
import type { OAuthParts } from '../model/parts.ts';

/** Builds the credential reader of access tokens. */
export function accessTokenReader({
  issued,
  digests,
  standing,
  users,
}: Pick<OAuthParts, 'issued' | 'digests' | 'standing' | 'users'>): CredentialReader {
  /** The grants end when the owner is suspended, unless this plugin was disabled then. */
  const ownerIsSuspended = async ({ ownerId, userId }: AccessGrant): Promise<boolean> =>
    ownerId !== null && ownerId !== userId && !(await users.active([ownerId])).has(ownerId);

  return {
    prefix: accessTokens.prefix,
    async read(token, now) {
      if (!accessTokens.is(token)) return undefined;
      const found = await issued.accessTokenByHash(digests.hash(token), now);
      if (found === undefined) return undefined;
      const [account, suspended] = await Promise.all([standing()?.of(found.userId), ownerIsSuspended(found)]);
      if (account === undefined || suspended) return undefined;
      const { id, client: applicationId, scopes, resource } = found;
      return {
        ...account,
        credential: { kind: 'oauth', id, applicationId, scopes, ...(resource !== '' && { audience: resource }) },
      };
    },
  };
}
