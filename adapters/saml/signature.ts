// Verification of XML signatures. Each signature is checked for its exact form first, and samlify gets a
// document in which it can find one signature and one certificate alone.
import { constants, createHash, verify, X509Certificate } from 'node:crypto';
import { canonicalXml } from './canonical.ts';
import { digestMethods, enveloped, signatureMethods, spaces } from './names.ts';
import { refused } from './refusals.ts';
import { samlify, type MetadataInterface } from './samlify.ts';
import { attributeOf, childrenOf, elementsOf, escapeXml, textOf, type XmlElement } from './xml.ts';

const base64 = /^[A-Za-z0-9+/=\r\n\t ]+$/;
const algorithmOf = (element: XmlElement): string => attributeOf(element, 'Algorithm') ?? '';

/** The children, which must be exactly these elements of XML Signature, in this order. */
function exactly<const Names extends readonly string[]>(
  element: XmlElement,
  names: Names,
): { readonly [Index in keyof Names]: XmlElement } {
  const children = elementsOf(element);
  const isThese =
    children.length === names.length &&
    children.every(({ space, local }, index) => space === spaces.signature && local === names[index]);
  if (!isThese) throw refused('saml_structure', 'A signature has another form than the profile of SAML');
  return children as never;
}

/** Algorithm elements have no content, except for the prefixes of exclusive canonicalization. */
function bare(method: XmlElement, mayListPrefixes = false): string {
  const children = elementsOf(method);
  const isAllowed = ({ space, local }: XmlElement): boolean =>
    mayListPrefixes && space === spaces.exclusive && local === 'InclusiveNamespaces';
  if (children.length > 1 || !children.every((child) => isAllowed(child) && child.children.length === 0))
    throw refused('saml_algorithm', 'An algorithm has parameters');
  return algorithmOf(method);
}

/** The list is read before the signature is verified, and costs time for each element, so it is short. */
const longestPrefixList = 1_000;

function prefixesOf(method: XmlElement): readonly string[] {
  const lists = elementsOf(method).map((list) => attributeOf(list, 'PrefixList') ?? '');
  if (lists.some(({ length }) => length > longestPrefixList))
    throw refused('saml_algorithm', `A list of prefixes has more than ${longestPrefixList} characters`);
  return lists.flatMap((list) => list.split(/[ \t\r\n]+/).filter(Boolean));
}

function bytesOf(element: XmlElement): Buffer {
  const text = textOf(element);
  if (!base64.test(text)) throw refused('saml_structure', 'A signature has another form than base64');
  return Buffer.from(text, 'base64');
}

interface Signature {
  readonly element: XmlElement;
  readonly signedInfo: XmlElement;
  readonly signedInfoPrefixes: readonly string[];
  readonly method: { readonly hash: string; readonly pss: boolean };
  readonly value: Buffer;
  readonly digestHash: string;
  readonly digest: Buffer;
  readonly referencePrefixes: readonly string[];
}

/**
 * The signature that is a direct child of the element.
 * @throws {Forbidden} unless it is of the form of SAML core, section 5.4, over the element alone.
 */
export function signatureOf(signed: XmlElement): Signature {
  const [element, second] = childrenOf(signed, spaces.signature, 'Signature');
  if (element === undefined) throw refused('saml_signature', `The ${signed.local} is not signed`);
  if (second !== undefined) throw refused('saml_structure', `The ${signed.local} has several signatures`);
  const hasKeyInfo = elementsOf(element).length > 2;
  const [signedInfo, value] = exactly(element, ['SignedInfo', 'SignatureValue', ...(hasKeyInfo ? ['KeyInfo'] : [])]);
  const [canonical, method, reference] = exactly(signedInfo, [
    'CanonicalizationMethod',
    'SignatureMethod',
    'Reference',
  ]);
  if (bare(canonical, true) !== spaces.exclusive) throw refused('saml_algorithm', 'The canonicalization');
  const signatureMethod = signatureMethods.get(bare(method));
  if (signatureMethod === undefined) throw refused('saml_algorithm', 'The signature');
  const [transforms, digestMethod, digest] = exactly(reference, ['Transforms', 'DigestMethod', 'DigestValue']);
  const [first, last, ...more] = elementsOf(transforms);
  if (first === undefined || last === undefined || more.length > 0) throw refused('saml_algorithm', 'The transforms');
  if (bare(first) !== enveloped || bare(last, true) !== spaces.exclusive)
    throw refused('saml_algorithm', 'The transforms');
  const digestHash = digestMethods.get(bare(digestMethod));
  if (digestHash === undefined) throw refused('saml_algorithm', 'The digest');
  const id = attributeOf(signed, 'ID');
  if (id === undefined || id === '' || attributeOf(reference, 'URI') !== `#${id}`)
    throw refused('saml_structure', 'A signature covers another element');
  return {
    element,
    signedInfo,
    signedInfoPrefixes: prefixesOf(canonical),
    method: signatureMethod,
    value: bytesOf(value),
    digestHash,
    digest: bytesOf(digest),
    referencePrefixes: prefixesOf(last),
  };
}

function isSignedBy(certificate: string, data: Buffer, { method: { hash, pss }, value }: Signature): boolean {
  const key = new X509Certificate(Buffer.from(certificate, 'base64')).publicKey;
  const padding = pss
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : { padding: constants.RSA_PKCS1_PADDING };
  return verify(hash, data, { key, ...padding }, value);
}

/**
 * Checks the signature without samlify, whose time grows with the square of the number of elements, so that only
 * content of the identity provider reaches samlify.
 * @returns the canonical form that was signed, and the certificate.
 */
function checked(signed: XmlElement, signature: Signature, certificates: readonly string[]) {
  const info = Buffer.from(canonicalXml(signature.signedInfo, { inclusive: signature.signedInfoPrefixes }));
  const certificate = certificates.find((one) => isSignedBy(one, info, signature));
  if (certificate === undefined) throw refused('saml_signature', 'No certificate of the metadata fits');
  const canonical = canonicalXml(signed, { without: signature.element, inclusive: signature.referencePrefixes });
  if (!createHash(signature.digestHash).update(canonical).digest().equals(signature.digest))
    throw refused('saml_signature', `The ${signed.local} was changed`);
  return { canonical, certificate };
}

/** The source of an element without the certificates in its own signature, which the signature does not cover. */
function withoutKeyInfo(source: string, element: XmlElement, signature: Signature): string {
  const [keyInfo] = childrenOf(signature.element, spaces.signature, 'KeyInfo');
  if (keyInfo === undefined) return source.slice(element.start, element.end);
  return source.slice(element.start, keyInfo.start) + source.slice(keyInfo.end, element.end);
}

/**
 * Metadata with one certificate, which can be read once. samlify asks for it once per signature and continues with the
 * next signature if a digest is wrong, so a second request means that the intended signature has failed.
 */
function oneCertificate(certificate: string): MetadataInterface {
  let asked = false;
  const none = (): never => {
    throw new Error('not part of the verification');
  };
  return {
    xmlString: '',
    getMetadata: none,
    exportMetadata: none,
    getEntityID: none,
    getNameIDFormat: none,
    getSingleLogoutService: none,
    getSupportBindings: none,
    getX509Certificate() {
      if (asked) throw new Error('the first signature is wrong');
      asked = true;
      return certificate;
    },
  };
}

async function verifyBySamlify(document: string, certificate: string): Promise<void> {
  const { SamlLib } = await samlify();
  let result: readonly [boolean, string | null];
  try {
    result = SamlLib.verifySignature(document, { metadata: oneCertificate(certificate) });
  } catch (error) {
    throw refused('saml_signature', undefined, error);
  }
  if (!result[0] || result[1] === null) throw refused('saml_signature');
}

/**
 * Verifies the signature of an assertion, twice: by this adapter and by samlify.
 * @param source the document in which the assertion was found.
 * @param certificates each in base64.
 * @returns the assertion in the canonical form that was signed, without the signature.
 */
export async function verifiedAssertion(
  source: string,
  assertion: XmlElement,
  certificates: readonly string[],
): Promise<string> {
  const signature = signatureOf(assertion);
  const { canonical, certificate } = checked(assertion, signature, certificates);
  // samlify searches for signatures in responses. The namespaces in scope are kept, because the assertion uses them.
  const scope = [...assertion.scope]
    .filter(([, space]) => space !== '')
    .map(([prefix, space]) => ` xmlns${prefix === '' ? '' : ':'}${prefix}="${escapeXml(space)}"`)
    .join('');
  let free = 'p';
  while (assertion.scope.has(free)) free += 'p';
  const signed = withoutKeyInfo(source, assertion, signature);
  const document = `<${free}:Response xmlns:${free}="${spaces.protocol}"${scope}>${signed}</${free}:Response>`;
  await verifyBySamlify(document, certificate);
  return canonical;
}

/** Verifies the signature of a response, as that of an assertion. @throws {Forbidden} if it is wrong. */
export async function verifyResponse(
  source: string,
  response: XmlElement,
  certificates: readonly string[],
): Promise<void> {
  const signature = signatureOf(response);
  const { certificate } = checked(response, signature, certificates);
  await verifyBySamlify(withoutKeyInfo(source, response, signature), certificate);
}
