// Authenticates OAuth2 access tokens. A revoked token, and one whose account may not sign in, is rejected.
import type { CredentialReader } from '#core/kernel/access/credentials';
import { accessTokens } from '../model/grant.ts';
import type { OAuthParts } from '../model/parts.ts';

/** Builds the credential reader of access tokens. */
export function accessTokenReader({
  issued,
  digests,
  standing,
}: Pick<OAuthParts, 'issued' | 'digests' | 'standing'>): CredentialReader {
  return {
    prefix: accessTokens.prefix,
    async read(token, now) {
      if (!accessTokens.is(token)) return undefined;
      const found = await issued.accessTokenByHash(digests.hash(token), now);
      const account = found && (await standing()?.of(found.userId));
      if (found === undefined || account === undefined) return undefined;
      const { id, client: applicationId, scopes, resource } = found;
      return {
        ...account,
        credential: { kind: 'oauth', id, applicationId, scopes, ...(resource !== '' && { audience: resource }) },
      };
    },
  };
}
