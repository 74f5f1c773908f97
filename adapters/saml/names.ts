// Namespaces and identifiers of SAML 2.0, XML Signature and XML Encryption.

export const spaces = {
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
  encryption11: 'http://www.w3.org/2009/xmlenc11#',
  exclusive: 'http://www.w3.org/2001/10/xml-exc-c14n#',
} as const;

export const bindings = {
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
} as const;

export const nameFormats = {
  email: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  unspecified: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
} as const;

export const success = 'urn:oasis:names:tc:SAML:2.0:status:Success';
export const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
export const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';

export const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
/** Signature algorithms → hash, and whether the padding is PSS. samlify knows no SHA-384 and no ECDSA. */
export const signatureMethods: ReadonlyMap<string, { readonly hash: string; readonly pss: boolean }> = new Map([
  [rsaSha256, { hash: 'sha256', pss: false }],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', { hash: 'sha512', pss: false }],
  ['http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1', { hash: 'sha256', pss: true }],
]);
/** Digest algorithms → hash. */
export const digestMethods: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2001/04/xmlenc#sha256', 'sha256'],
  ['http://www.w3.org/2001/04/xmlenc#sha512', 'sha512'],
]);
