// Builds and signs SAML responses with any fault, with node:crypto alone. The texts are written in their canonical
// form (exclusive XML canonicalization), so that they can be signed without a canonicalizer.
import {
  constants,
  createCipheriv,
  createHash,
  createHmac,
  publicEncrypt,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import type { SamlKeys } from '#adapters/saml/index';

export const uris = {
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  ds: 'http://www.w3.org/2000/09/xmldsig#',
  exclusive: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  enveloped: 'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
  email: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  bearer: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
  success: 'urn:oasis:names:tc:SAML:2.0:status:Success',
  rsaSha256: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
} as const;

/** Values that honest responses of the tests share. */
export const facts = {
  idp: 'https://idp.example/metadata',
  sso: 'https://idp.example/sso',
  entityId: 'https://forge.example/saml/metadata',
  acsUrl: 'https://forge.example/saml/acs',
  request: '_request-1',
  assertionId: '_assertion-1',
  responseId: '_response-1',
  nameId: 'ada@example.org',
  now: new Date('2026-03-01T12:00:00Z'),
} as const;

/** A time in seconds from `facts.now`. */
export const at = (seconds: number): string => new Date(facts.now.getTime() + seconds * 1000).toISOString();

/** The parts of an assertion, each as XML. */
export const honest = {
  issuer: `<saml:Issuer>${facts.idp}</saml:Issuer>`,
  nameId: `<saml:NameID Format="${uris.email}">${facts.nameId}</saml:NameID>`,
  confirmation:
    `<saml:SubjectConfirmation Method="${uris.bearer}"><saml:SubjectConfirmationData InResponseTo="${facts.request}" ` +
    `NotOnOrAfter="${at(300)}" Recipient="${facts.acsUrl}"></saml:SubjectConfirmationData></saml:SubjectConfirmation>`,
  conditions:
    `<saml:Conditions NotBefore="${at(-30)}" NotOnOrAfter="${at(300)}"><saml:AudienceRestriction>` +
    `<saml:Audience>${facts.entityId}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
  authentication:
    `<saml:AuthnStatement AuthnInstant="${at(-5)}" SessionNotOnOrAfter="${at(3600)}"><saml:AuthnContext>` +
    '<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>' +
    '</saml:AuthnContext></saml:AuthnStatement>',
  attributes:
    '<saml:AttributeStatement><saml:Attribute FriendlyName="displayName" Name="urn:oid:2.16.840.1.113730.3.1.241">' +
    '<saml:AttributeValue>Ada Lovelace</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>',
  id: facts.assertionId as string,
};

/** An unsigned assertion. */
export function assertion(change: Partial<typeof honest> = {}): string {
  const { issuer, nameId, confirmation, conditions, authentication, attributes, id } = { ...honest, ...change };
  return (
    `<saml:Assertion xmlns:saml="${uris.assertion}" ID="${id}" IssueInstant="${at(-5)}" Version="2.0">${issuer}` +
    `<saml:Subject>${nameId}${confirmation}</saml:Subject>${conditions}${authentication}${attributes}</saml:Assertion>`
  );
}

export interface SigningOptions {
  readonly method?: string;
  readonly digest?: string;
  /** Algorithms of the transforms. */
  readonly transforms?: readonly string[];
  readonly canonicalization?: string;
  /** The id in the reference. */
  readonly reference?: string;
  /** Certificates to publish in the signature. */
  readonly keyInfo?: string;
  /** Changes the canonical form of SignedInfo before it is signed. */
  readonly signedInfo?: (xml: string) => string;
}

const hashes: Readonly<Record<string, string>> = {
  [uris.sha256]: 'sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512': 'sha512',
  'http://www.w3.org/2000/09/xmldsig#sha1': 'sha1',
};

function signatureValue(text: string, method: string, privateKey: string): string {
  const data = Buffer.from(text);
  if (method.endsWith('#hmac-sha1') || method.endsWith('#hmac-sha256'))
    return createHmac(method.slice(-4) === 'sha1' ? 'sha1' : 'sha256', privateKey)
      .update(data)
      .digest('base64');
  if (method.endsWith('#sha256-rsa-MGF1')) {
    const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
    return sign('sha256', data, { key: privateKey, ...padding }).toString('base64');
  }
  const hash = /rsa-(?<name>sha\d+)$/.exec(method)?.groups?.['name'] ?? 'sha256';
  return sign(hash, data, privateKey).toString('base64');
}

/** The signature of a canonical element. */
export function signatureOf(element: string, privateKey: string, options: SigningOptions = {}): string {
  const { method = uris.rsaSha256, digest = uris.sha256, canonicalization = uris.exclusive } = options;
  const { transforms = [uris.enveloped, uris.exclusive] } = options;
  const id = options.reference ?? /\bID="(?<id>[^"]*)"/.exec(element)?.groups?.['id'] ?? '';
  const value = createHash(hashes[digest] ?? 'md5')
    .update(element)
    .digest('base64');
  const info =
    `<ds:SignedInfo xmlns:ds="${uris.ds}"><ds:CanonicalizationMethod Algorithm="${canonicalization}">` +
    `</ds:CanonicalizationMethod><ds:SignatureMethod Algorithm="${method}"></ds:SignatureMethod>` +
    `<ds:Reference URI="#${id}"><ds:Transforms>` +
    transforms.map((one) => `<ds:Transform Algorithm="${one}"></ds:Transform>`).join('') +
    `</ds:Transforms><ds:DigestMethod Algorithm="${digest}"></ds:DigestMethod>` +
    `<ds:DigestValue>${value}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
  const signedInfo = options.signedInfo?.(info) ?? info;
  const keyInfo =
    options.keyInfo === undefined
      ? ''
      : `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${options.keyInfo}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;
  return (
    // Canonical within the signature, which declares the prefix.
    `<ds:Signature xmlns:ds="${uris.ds}">${signedInfo.replace(` xmlns:ds="${uris.ds}"`, '')}` +
    `<ds:SignatureValue>${signatureValue(signedInfo, method, privateKey)}</ds:SignatureValue>${keyInfo}</ds:Signature>`
  );
}

/** Puts a signature behind the first issuer. */
export const withSignature = (element: string, signature: string): string =>
  element.replace('</saml:Issuer>', () => `</saml:Issuer>${signature}`);

/** Signs a canonical element, an assertion or a response. */
export const signed = (element: string, { privateKey }: SamlKeys, options?: SigningOptions): string =>
  withSignature(element, signatureOf(element, privateKey, options));

export const honestEnvelope = {
  id: facts.responseId as string,
  attributes: `Destination="${facts.acsUrl}" `,
  inResponseTo: `InResponseTo="${facts.request}" `,
  issuer: honest.issuer,
  extensions: '',
  status: `<samlp:Status><samlp:StatusCode Value="${uris.success}"></samlp:StatusCode></samlp:Status>`,
};

/** A response around an assertion, canonical if the content is. */
export function response(content: string, change: Partial<typeof honestEnvelope> = {}): string {
  const { id, attributes, inResponseTo, issuer, extensions, status } = { ...honestEnvelope, ...change };
  // The issuer declares its namespace itself, as in the canonical form.
  const declared = issuer.replace('<saml:Issuer>', `<saml:Issuer xmlns:saml="${uris.assertion}">`);
  return (
    `<samlp:Response xmlns:samlp="${uris.protocol}" ${attributes}ID="${id}" ${inResponseTo}IssueInstant="${at(-5)}" ` +
    `Version="2.0">${declared}${extensions}${status}${content}</samlp:Response>`
  );
}

export const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString('base64');

export interface EncryptionOptions {
  readonly cipher?: 'aes128-gcm' | 'aes256-gcm' | 'aes128-cbc' | 'aes256-cbc';
  readonly transport?: 'rsa-oaep-mgf1p' | 'rsa-oaep' | 'rsa-1_5';
  /** Changes the ciphertext. */
  readonly tampered?: (bytes: Buffer) => Buffer;
}

/** An encrypted assertion. */
export function encrypted(xml: string, certificate: string, options: EncryptionOptions = {}): string {
  const { cipher = 'aes256-gcm', transport = 'rsa-oaep-mgf1p', tampered = (bytes) => bytes } = options;
  const isGcm = cipher.endsWith('gcm');
  const secret = randomBytes(cipher.startsWith('aes128') ? 16 : 32);
  const iv = randomBytes(isGcm ? 12 : 16);
  const name = cipher.replace('aes', 'aes-');
  const cipherer = createCipheriv(name as 'aes-256-gcm', secret, iv);
  const bytes = Buffer.concat([
    iv,
    cipherer.update(xml),
    cipherer.final(),
    isGcm ? cipherer.getAuthTag() : Buffer.of(),
  ]);
  const key = new X509Certificate(Buffer.from(certificate, 'base64')).publicKey;
  const padding = transport === 'rsa-1_5' ? constants.RSA_PKCS1_PADDING : constants.RSA_PKCS1_OAEP_PADDING;
  const oaepHash = transport === 'rsa-oaep' ? 'sha256' : 'sha1';
  const wrapped = publicEncrypt({ key, padding, ...(transport !== 'rsa-1_5' && { oaepHash }) }, secret);
  const enc = 'http://www.w3.org/2001/04/xmlenc#';
  const enc11 = 'http://www.w3.org/2009/xmlenc11#';
  const method =
    transport === 'rsa-oaep'
      ? `<xenc:EncryptionMethod Algorithm="${enc11}rsa-oaep"><ds:DigestMethod Algorithm="${uris.sha256}"/>` +
        `<e11:MGF xmlns:e11="${enc11}" Algorithm="${enc11}mgf1sha256"/></xenc:EncryptionMethod>`
      : `<xenc:EncryptionMethod Algorithm="${enc}${transport}"/>`;
  const value = (data: Buffer): string =>
    `<xenc:CipherData><xenc:CipherValue>${data.toString('base64')}</xenc:CipherValue></xenc:CipherData>`;
  return (
    `<saml:EncryptedAssertion xmlns:saml="${uris.assertion}"><xenc:EncryptedData xmlns:xenc="${enc}">` +
    `<xenc:EncryptionMethod Algorithm="${isGcm ? enc11 : enc}${cipher}"/><ds:KeyInfo xmlns:ds="${uris.ds}">` +
    `<xenc:EncryptedKey>${method}${value(wrapped)}</xenc:EncryptedKey></ds:KeyInfo>${value(tampered(bytes))}` +
    `</xenc:EncryptedData></saml:EncryptedAssertion>`
  );
}

export interface MetadataOptions {
  /** `use` → certificate in base64. The use "both" is not stated. */
  readonly keys: readonly (readonly ['signing' | 'encryption' | 'both', string])[];
  readonly attributes?: string;
  readonly sso?: string;
  readonly entityId?: string;
}

/** Metadata of the identity provider. */
export const idpMetadata = ({
  keys,
  attributes = '',
  sso = facts.sso,
  entityId = facts.idp,
}: MetadataOptions): string =>
  `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"${attributes}>` +
  `<md:IDPSSODescriptor protocolSupportEnumeration="${uris.protocol}">${keys
    .map(
      ([use, certificate]) =>
        `<md:KeyDescriptor${use === 'both' ? '' : ` use="${use}"`}><ds:KeyInfo xmlns:ds="${uris.ds}"><ds:X509Data>` +
        `<ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
    )
    .join(
      '',
    )}<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${sso}"/>` +
  '</md:IDPSSODescriptor></md:EntityDescriptor>';
