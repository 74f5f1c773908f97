// From the body of a request to one verified assertion.
import { spaces, success } from './names.ts';
import { decryptAssertion } from './decryption.ts';
import { readAssertion, type VerifiedAssertion } from './assertion.ts';
import type { IdentityProvider } from './metadata.ts';
import { readingXml, refused } from './refusals.ts';
import { signatureOf, verifiedAssertion, verifyResponse } from './signature.ts';
import { attributeOf, childrenOf, everyElement, parseXml, textOf, type XmlElement } from './xml.ts';

/** In bytes of base64. */
export const longestResponse = 256 * 1024;

/** The text of a response. @throws {Forbidden} `saml_malformed` */
function decoded(base64: string): string {
  if (base64.length > longestResponse) throw refused('saml_malformed', 'It has more than 256 KiB');
  const compact = base64.replace(/\r?\n/g, '');
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(compact))
    throw refused('saml_malformed', 'It is not base64');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(compact, 'base64'));
  } catch (error) {
    throw refused('saml_malformed', 'It is not UTF-8', error);
  }
}

const isAssertion = ({ local }: XmlElement): boolean => local === 'Assertion' || local === 'EncryptedAssertion';
const isId = ({ local }: { readonly local: string }): boolean => local.toLowerCase() === 'id';

/**
 * Refuses documents with several elements that a signature could mean, whatever their namespace: libraries search by
 * local names.
 * @param places the elements that may contain a signature directly.
 */
function checkUnambiguous(root: XmlElement, places: readonly XmlElement[]): void {
  const all = everyElement(root);
  const ids = all.flatMap(({ attributes }) => attributes.filter(isId).map(({ value }) => value));
  if (new Set(ids).size !== ids.length) throw refused('saml_structure', 'Several elements have the same ID');
  const signatures = new Set(places.flatMap(({ children }) => children));
  if (all.some((one) => one.local === 'Signature' && !signatures.has(one)))
    throw refused('saml_structure', 'There is a signature in an unexpected place');
}

/** The one assertion, or encrypted assertion, of a response. */
function assertionOf(response: XmlElement): XmlElement {
  const all = everyElement(response).filter(isAssertion);
  const [one] = all;
  if (one === undefined) throw refused('saml_structure', 'There is no assertion');
  if (all.length > 1) throw refused('saml_structure', 'There are several assertions');
  if (!response.children.includes(one) || one.space !== spaces.assertion)
    throw refused('saml_structure', 'The assertion is in an unexpected place');
  return one;
}

function checkEnvelope(response: XmlElement, idp: IdentityProvider, acsUrl: string): void {
  if (response.space !== spaces.protocol || response.local !== 'Response')
    throw refused('saml_structure', 'It is not a Response');
  if (attributeOf(response, 'Version') !== '2.0') throw refused('saml_structure', 'The version must be 2.0');
  const [issuer, second] = childrenOf(response, spaces.assertion, 'Issuer');
  if (second !== undefined || (issuer !== undefined && textOf(issuer) !== idp.entityId)) throw refused('saml_issuer');
  const [status, other] = childrenOf(response, spaces.protocol, 'Status');
  const code = status === undefined ? undefined : childrenOf(status, spaces.protocol, 'StatusCode')[0];
  if (other !== undefined || code === undefined || attributeOf(code, 'Value') !== success) throw refused('saml_status');
  const destination = attributeOf(response, 'Destination');
  if (destination !== undefined && destination !== acsUrl) throw refused('saml_destination');
}

/** An assertion within the text in which it was found. */
interface Found {
  readonly source: string;
  readonly assertion: XmlElement;
}

/** The assertion of an encrypted one. Its text is a separate document, with the same rules. */
function opened(encrypted: XmlElement, privateKey: string | undefined, authentic: boolean): Found {
  if (privateKey === undefined) throw refused('saml_encryption', 'There is no key for encrypted assertions');
  const source = decryptAssertion(encrypted, privateKey, authentic);
  const assertion = readingXml('saml_encryption', () => parseXml(source));
  if (assertion.space !== spaces.assertion || assertion.local !== 'Assertion')
    throw refused('saml_encryption', 'It contains no assertion');
  if (everyElement(assertion).filter(isAssertion).length > 1)
    throw refused('saml_structure', 'There are several assertions');
  checkUnambiguous(assertion, [assertion]);
  return { source, assertion };
}

export interface Verification {
  readonly entityId: string;
  readonly acsUrl: string;
  /** PEM, for encrypted assertions. */
  readonly privateKey: string | undefined;
  readonly now: Date;
}

/** Verifies a response of the POST binding. @throws {Forbidden} with a code of `SamlRefusal`. */
export async function verifyResponseText(
  idp: IdentityProvider,
  base64: string,
  { entityId, acsUrl, privateKey, now }: Verification,
): Promise<VerifiedAssertion> {
  if (idp.validUntil !== undefined && idp.validUntil <= now) throw refused('saml_metadata_expired');
  const source = decoded(base64);
  const response = readingXml('saml_malformed', () => parseXml(source));
  return readingXmlAsync(async () => {
    checkEnvelope(response, idp, acsUrl);
    const only = assertionOf(response);
    checkUnambiguous(response, [response, only]);
    const isSigned = childrenOf(response, spaces.signature, 'Signature').length > 0;
    const isEncrypted = only.local === 'EncryptedAssertion';
    // The forms are checked before any signature is verified.
    if (!isEncrypted) signatureOf(only);
    if (isSigned) await verifyResponse(source, response, idp.certificates);
    const found = isEncrypted ? opened(only, privateKey, isSigned) : { source, assertion: only };
    const signed = await verifiedAssertion(found.source, found.assertion, idp.certificates);
    const assertion = readingXml('saml_structure', () => parseXml(signed));
    const isSame = attributeOf(assertion, 'ID') === attributeOf(found.assertion, 'ID');
    if (assertion.space !== spaces.assertion || assertion.local !== 'Assertion' || !isSame)
      throw refused('saml_structure', 'A signature covers another element');
    const read = readAssertion(assertion, { issuer: idp.entityId, audience: entityId, recipient: acsUrl, now });
    const inResponseTo = attributeOf(response, 'InResponseTo');
    if (inResponseTo !== undefined && inResponseTo !== read.inResponseTo) throw refused('saml_in_response_to');
    return read;
  });
}

/** Faults of the XML within a step are refusals of its structure. */
async function readingXmlAsync<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    return readingXml('saml_structure', () => {
      throw error;
    });
  }
}
