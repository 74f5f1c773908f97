// A service provider and an identity provider with its keys, for the specs of verification.
import { makeSamlKeys, readIdentityProvider, serviceProvider } from '#adapters/saml/index';
import { HexforgeError } from '#core/kernel/errors';
import { facts, idpMetadata } from '#test/support/servers/saml-oracle';

const keys = () => makeSamlKeys('Test', facts.now, 2048);
/** Two keys of the identity provider, one of somebody else, its key for encryption, and that of the forge. */
export const [first, second, stranger, other, own] = await Promise.all([keys(), keys(), keys(), keys(), keys()]);

export const idp = readIdentityProvider(
  idpMetadata({
    keys: [
      ['signing', first.certificate],
      ['both', second.certificate],
      ['encryption', other.certificate],
    ],
  }),
  facts.now,
);
export const provider = serviceProvider({ entityId: facts.entityId, acsUrl: facts.acsUrl, encryption: own });

/** The code of the refusal of a form field, or "accepted". */
export async function codeOf(field: string): Promise<string> {
  try {
    await provider.verify(idp, field, { now: facts.now });
    return 'accepted';
  } catch (error) {
    if (error instanceof HexforgeError) return error.code;
    throw error;
  }
}
