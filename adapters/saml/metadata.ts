// The metadata of an identity provider: what is needed of it, checked.
import { X509Certificate } from 'node:crypto';
import { bindings, spaces } from './names.ts';
import { attributeOf, childrenOf, elementsOf, parseXml, textOf, XmlFault, type XmlElement } from './xml.ts';

/** An identity provider, as its metadata describes it. */
export interface IdentityProvider {
  readonly entityId: string;
  /** Its certificates for signatures, each in base64. */
  readonly certificates: readonly string[];
  /** The URL to which browsers are sent to sign in (HTTP-Redirect binding). */
  readonly redirectUrl: string;
  readonly wantsSignedRequests: boolean;
  readonly validUntil: Date | undefined;
  /** Sentences for the administrator. */
  readonly warnings: readonly string[];
}

/** Metadata that cannot be used. The message completes the sentence "The metadata must …". */
export class MetadataFault extends Error {}

/** In UTF-16 code units. */
export const longestMetadata = 1 << 20;
const limits = { depth: 32, elements: 5_000, attributes: 10_000, namespaces: 1_000, comments: true };
const most = { certificates: 20, entityId: 1_024, url: 2_048 } as const;

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);

/** Whether it is an https URL, or http on a loopback address, without credentials. */
export function isSecureUrl(text: string): boolean {
  if (text.length > most.url || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

function timeOf(element: XmlElement): Date | undefined {
  const text = attributeOf(element, 'validUntil');
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (text.length > 40 || Number.isNaN(time.getTime())) throw new MetadataFault('have a valid time as validUntil');
  return time;
}

interface FoundCertificate {
  readonly base64: string;
  readonly warning: string | undefined;
  readonly usable: boolean;
}

function certificateOf(element: XmlElement, now: Date): FoundCertificate {
  const base64 = textOf(element).replace(/[ \t\r\n]/g, '');
  let certificate: X509Certificate;
  try {
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length > 16_384) throw new Error('not base64');
    certificate = new X509Certificate(Buffer.from(base64, 'base64'));
  } catch {
    throw new MetadataFault('have certificates in base64 (X.509)');
  }
  const key = certificate.publicKey;
  const name = certificate.fingerprint256.slice(0, 23);
  const isRsa = key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048;
  if (!isRsa)
    return { base64, usable: false, warning: `The certificate ${name}… has no RSA key of 2,048 bits or more` };
  const [from, to] = [certificate.validFromDate, certificate.validToDate];
  const isOver = to < now || from > now;
  return {
    base64,
    usable: true,
    warning: isOver
      ? `The certificate ${name}… is valid from ${from.toISOString()} to ${to.toISOString()}. It is used nevertheless`
      : undefined,
  };
}

/** The certificates for signatures: of use "signing", or of no stated use. */
function certificatesOf(descriptor: XmlElement, now: Date): readonly FoundCertificate[] {
  const found = childrenOf(descriptor, spaces.metadata, 'KeyDescriptor')
    .filter((key) => (attributeOf(key, 'use') ?? 'signing') === 'signing')
    .flatMap((key) => childrenOf(key, spaces.signature, 'KeyInfo'))
    .flatMap((info) => childrenOf(info, spaces.signature, 'X509Data'))
    .flatMap((data) => childrenOf(data, spaces.signature, 'X509Certificate'));
  if (found.length > most.certificates) throw new MetadataFault(`have at most ${most.certificates} certificates`);
  return found.map((element) => certificateOf(element, now));
}

function redirectUrlOf(descriptor: XmlElement): string {
  const services = childrenOf(descriptor, spaces.metadata, 'SingleSignOnService');
  const service = services.find((one) => attributeOf(one, 'Binding') === bindings.redirect);
  if (service === undefined)
    throw new MetadataFault('have a SingleSignOnService with the HTTP-Redirect binding; the others are not supported');
  const url = attributeOf(service, 'Location') ?? '';
  if (!isSecureUrl(url)) throw new MetadataFault('have an https URL as location of its SingleSignOnService');
  return url;
}

/**
 * Reads the metadata of one identity provider. Its signature is not checked: it comes from the administrator, or from
 * an https URL that the administrator chose.
 * @throws {MetadataFault}
 */
export function readIdentityProvider(xml: string, now: Date): IdentityProvider {
  if (xml.length > longestMetadata) throw new MetadataFault('have at most 1 MiB');
  try {
    return identityProvider(parseXml(xml.trim(), limits), now);
  } catch (error) {
    throw error instanceof XmlFault
      ? new MetadataFault(`be plain XML; they contain ${error.message}`, { cause: error })
      : error;
  }
}

function identityProvider(root: XmlElement, now: Date): IdentityProvider {
  if (root.space !== spaces.metadata || root.local !== 'EntityDescriptor')
    throw new MetadataFault('be an EntityDescriptor of SAML 2.0, of one identity provider');
  const entityId = attributeOf(root, 'entityID') ?? '';
  if (entityId === '' || entityId.length > most.entityId) throw new MetadataFault('have an entityID');
  const [descriptor, second] = elementsOf(root).filter(
    (one) =>
      one.space === spaces.metadata &&
      one.local === 'IDPSSODescriptor' &&
      (attributeOf(one, 'protocolSupportEnumeration') ?? '').split(/[ \t\r\n]+/).includes(spaces.protocol),
  );
  if (descriptor === undefined || second !== undefined)
    throw new MetadataFault('have one IDPSSODescriptor for SAML 2.0');
  const certificates = certificatesOf(descriptor, now);
  const usable = certificates.filter((one) => one.usable).map(({ base64 }) => base64);
  if (usable.length === 0) throw new MetadataFault('have a signing certificate with an RSA key of 2,048 bits or more');
  const ends = [timeOf(root), timeOf(descriptor)].filter((time) => time !== undefined);
  const validUntil = ends.toSorted((a, b) => a.getTime() - b.getTime())[0];
  return {
    entityId,
    certificates: [...new Set(usable)],
    redirectUrl: redirectUrlOf(descriptor),
    wantsSignedRequests: ['true', '1'].includes(attributeOf(descriptor, 'WantAuthnRequestsSigned') ?? ''),
    validUntil,
    warnings: certificates.flatMap(({ warning }) => warning ?? []),
  };
}
