// Attacks on the service provider, by number: each is refused with the code of its fault.
import { gzipSync } from 'node:zlib';
import t from 'tap';
import {
  assertion,
  at,
  base64,
  encrypted,
  facts,
  honest,
  response,
  signatureOf,
  signed,
  uris,
  withSignature,
} from '#test/support/servers/saml-oracle';
import { codeOf, first, other, own, stranger } from './verifier.ts';

const good = signed(assertion(), first);
const evil = assertion({ nameId: honest.nameId.replace('ada', 'eve') });
const evilWithId = (id: string): string => assertion({ id, nameId: honest.nameId.replace('ada', 'eve') });
const goodSignature = signatureOf(assertion(), first.privateKey);
const insideLast = (outer: string, inner: string): string => outer.replace(/(<\/[\w:]+>)$/, (end) => `${inner}${end}`);
/** An assertion with one part replaced, signed honestly. */
const changed = (change: Parameters<typeof assertion>[0]): string => response(signed(assertion(change), first));
const without = (part: string, attribute: RegExp): string => part.replace(attribute, '');
const md5 = 'http://www.w3.org/2001/04/xmldsig-more#';
const sha1 = 'http://www.w3.org/2000/09/xmldsig#sha1';
const publicPem = `-----BEGIN CERTIFICATE-----\n${first.certificate}\n-----END CERTIFICATE-----\n`;

/** Name, expected code, and the response as XML or as the form field. */
type Attack = readonly [name: string, code: string, xml: string | { readonly field: string }];
const wrapping: readonly Attack[] = [
  [
    'XSW1: a forged response contains the signed response in its signature',
    'saml_structure',
    (() => {
      const original = response(assertion());
      const signature = signatureOf(original, first.privateKey);
      const forged = response(evil, { id: '_evil' });
      return withSignature(forged, insideLast(signature, `<ds:Object>${original}</ds:Object>`));
    })(),
  ],
  [
    'XSW2: a forged response has a detached signature and the signed response beside it',
    'saml_structure',
    (() => {
      const original = response(assertion());
      return withSignature(
        response(evil, { id: '_evil', extensions: `<samlp:Extensions>${original}</samlp:Extensions>` }),
        signatureOf(original, first.privateKey),
      );
    })(),
  ],
  ['XSW3: a forged assertion stands before the signed one', 'saml_structure', response(evilWithId('_evil') + good)],
  [
    'XSW4: the forged assertion contains the signed one',
    'saml_structure',
    response(insideLast(evilWithId('_evil'), good)),
  ],
  [
    'XSW5: the signed assertion is changed, and a copy of the original stands behind it',
    'saml_structure',
    response(withSignature(evilWithId('_evil'), goodSignature) + assertion()),
  ],
  [
    'XSW6: the forged assertion has the signature, which contains the original',
    'saml_structure',
    response(withSignature(evilWithId('_evil'), insideLast(goodSignature, assertion()))),
  ],
  [
    'XSW7: a forged assertion stands in the extensions',
    'saml_structure',
    response(good, { extensions: `<samlp:Extensions>${evilWithId('_evil')}</samlp:Extensions>` }),
  ],
  [
    'XSW8: the original stands in an Object of the signature of the forged assertion',
    'saml_structure',
    response(withSignature(evilWithId('_evil'), insideLast(goodSignature, `<ds:Object>${assertion()}</ds:Object>`))),
  ],
  ['two signed assertions', 'saml_structure', response(good + signed(assertion({ id: '_second' }), first))],
  ['no assertion', 'saml_structure', response('')],
  [
    'the same ID twice',
    'saml_structure',
    response(good, { extensions: `<samlp:Extensions><x ID="${facts.assertionId}"></x></samlp:Extensions>` }),
  ],
  [
    'the ID of the assertion again as Id',
    'saml_structure',
    response(good, { extensions: `<samlp:Extensions><x Id="${facts.assertionId}"></x></samlp:Extensions>` }),
  ],
  ['the response has the ID of the assertion', 'saml_structure', response(good, { id: facts.assertionId })],
  [
    'an assertion of another namespace beside the signed one',
    'saml_structure',
    response(`${good}<Assertion xmlns="urn:other" ID="_x"></Assertion>`),
  ],
  [
    'an assertion of another namespace',
    'saml_structure',
    response(signed(assertion().replaceAll(uris.assertion, 'urn:other'), first)),
  ],
  ['a response of another namespace', 'saml_structure', response(good).replace(uris.protocol, 'urn:other')],
];

const signatures: readonly Attack[] = [
  ['an unsigned assertion', 'saml_signature', response(assertion())],
  ...['CanonicalizationMethod', 'Transform'].map((name): Attack => [
    `20,000 prefixes at the ${name}`,
    'saml_algorithm',
    response(
      good.replace(
        `Algorithm="${uris.exclusive}"></ds:${name}>`,
        `Algorithm="${uris.exclusive}"><ec:InclusiveNamespaces xmlns:ec="${uris.exclusive}" ` +
          `PrefixList="${'p '.repeat(20_000)}"></ec:InclusiveNamespaces></ds:${name}>`,
      ),
    ),
  ]),
  ['an unsigned assertion in a signed response', 'saml_signature', signed(response(assertion()), first)],
  ['signed by an unknown key', 'saml_signature', response(signed(assertion(), stranger))],
  [
    'signed by an unknown key, which the message brings along',
    'saml_signature',
    response(signed(assertion(), stranger, { keyInfo: stranger.certificate })),
  ],
  [
    'signed by an unknown key, with the certificate of the identity provider in the message',
    'saml_signature',
    response(signed(assertion(), stranger, { keyInfo: first.certificate })),
  ],
  ['signed with a certificate for encryption', 'saml_signature', response(signed(assertion(), other))],
  ['a changed name', 'saml_signature', response(good.replace('ada@', 'eve@'))],
  [
    'a changed signature value',
    'saml_signature',
    response(good.replace(/<ds:SignatureValue>.{8}/, '<ds:SignatureValue>AAAAAAAA')),
  ],
  [
    'HMAC with the public key as secret',
    'saml_algorithm',
    response(
      withSignature(
        assertion(),
        signatureOf(assertion(), publicPem, { method: 'http://www.w3.org/2000/09/xmldsig#hmac-sha1' }),
      ),
    ),
  ],
  [
    'RSA-SHA1',
    'saml_algorithm',
    response(signed(assertion(), first, { method: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' })),
  ],
  ['RSA-MD5', 'saml_algorithm', response(signed(assertion(), first, { method: `${md5}rsa-md5` }))],
  ['the algorithm "none"', 'saml_algorithm', response(signed(assertion(), first, { method: 'none' }))],
  [
    'an algorithm named as a member of objects',
    'saml_algorithm',
    response(signed(assertion(), first, { method: 'constructor' })),
  ],
  ['a digest of SHA-1', 'saml_algorithm', response(signed(assertion(), first, { digest: sha1 }))],
  ['a digest of MD5', 'saml_algorithm', response(signed(assertion(), first, { digest: `${md5}md5` }))],
  [
    'an XPath transform',
    'saml_algorithm',
    response(
      signed(assertion(), first, { transforms: [uris.enveloped, 'http://www.w3.org/TR/1999/REC-xpath-19991116'] }),
    ),
  ],
  [
    'an XSLT transform',
    'saml_algorithm',
    response(
      signed(assertion(), first, {
        transforms: ['http://www.w3.org/TR/1999/REC-xslt-19991116', uris.enveloped, uris.exclusive],
      }),
    ),
  ],
  ['no enveloped transform', 'saml_algorithm', response(signed(assertion(), first, { transforms: [uris.exclusive] }))],
  [
    'inclusive canonicalization',
    'saml_algorithm',
    response(signed(assertion(), first, { canonicalization: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315' })),
  ],
  [
    'several SignedInfo',
    'saml_structure',
    response(
      withSignature(
        assertion(),
        goodSignature.replace('<ds:SignatureValue>', (tag) => {
          const [, info = ''] =
            /(<ds:SignedInfo.*<\/ds:SignedInfo>)/.exec(signatureOf(evil, stranger.privateKey)) ?? [];
          return info + tag;
        }),
      ),
    ),
  ],
  [
    'several references',
    'saml_structure',
    response(
      signed(assertion(), first, {
        signedInfo: (xml) => xml.replace(/<ds:Reference.*<\/ds:Reference>/, (one) => one + one),
      }),
    ),
  ],
  [
    'a reference to the response',
    'saml_structure',
    response(signed(assertion(), first, { reference: facts.responseId })),
  ],
  [
    'a reference to the whole document',
    'saml_structure',
    response(good.replace(`URI="#${facts.assertionId}"`, 'URI=""')),
  ],
  ['a comment in the digest', 'saml_malformed', response(good.replace('<ds:DigestValue>', '<ds:DigestValue><!-- -->'))],
  ['a second signature of the assertion', 'saml_structure', response(withSignature(good, goodSignature))],
  [
    'a broken signature of the response around a signed assertion',
    'saml_signature',
    signed(response(good), first).replace(`IssueInstant="${at(-5)}"`, `IssueInstant="${at(-6)}"`),
  ],
  [
    'a signature of the response by an unknown key around a signed assertion',
    'saml_signature',
    signed(response(good), stranger),
  ],
];

const { conditions, confirmation, authentication, nameId } = honest;
const statements: readonly Attack[] = [
  [
    'another InResponseTo in the response',
    'saml_in_response_to',
    response(good, { inResponseTo: 'InResponseTo="_x" ' }),
  ],
  [
    'another Destination',
    'saml_destination',
    response(good, { attributes: 'Destination="https://evil.example/saml/acs" ' }),
  ],
  [
    'a failed status around a signed assertion',
    'saml_status',
    response(good, {
      status:
        '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Responder"></samlp:StatusCode></samlp:Status>',
    }),
  ],
  ['no status', 'saml_status', response(good, { status: '' })],
  [
    'another issuer of the response',
    'saml_issuer',
    response(good, { issuer: '<saml:Issuer>https://evil.example</saml:Issuer>' }),
  ],
  [
    'another issuer of the assertion',
    'saml_issuer',
    changed({ issuer: '<saml:Issuer>https://evil.example</saml:Issuer>' }),
  ],
  [
    'another audience',
    'saml_audience',
    changed({ conditions: conditions.replace(facts.entityId, 'https://evil.example') }),
  ],
  [
    'a second restriction to another audience',
    'saml_audience',
    changed({
      conditions: conditions.replace(
        '</saml:Conditions>',
        '<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction></saml:Conditions>',
      ),
    }),
  ],
  [
    'no audience',
    'saml_audience',
    changed({ conditions: conditions.replace(/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, '') }),
  ],
  [
    'another recipient',
    'saml_recipient',
    changed({ confirmation: confirmation.replace(facts.acsUrl, 'https://evil.example') }),
  ],
  ['no recipient', 'saml_recipient', changed({ confirmation: without(confirmation, / Recipient="[^"]*"/) })],
  ['conditions that have expired', 'saml_expired', changed({ conditions: conditions.replace(at(300), at(-60)) })],
  ['conditions of the future', 'saml_not_yet_valid', changed({ conditions: conditions.replace(at(-30), at(61)) })],
  [
    'a confirmation that has expired',
    'saml_expired',
    changed({ confirmation: confirmation.replace(at(300), at(-60)) }),
  ],
  ['no conditions', 'saml_conditions', changed({ conditions: '' })],
  [
    'conditions without NotOnOrAfter',
    'saml_conditions',
    changed({ conditions: without(conditions, / NotOnOrAfter="[^"]*"/) }),
  ],
  [
    'conditions without NotBefore',
    'saml_conditions',
    changed({ conditions: without(conditions, / NotBefore="[^"]*"/) }),
  ],
  [
    'a time without time zone',
    'saml_conditions',
    changed({ conditions: conditions.replace(at(300), at(300).slice(0, -1)) }),
  ],
  [
    'an unknown condition',
    'saml_conditions',
    changed({
      conditions: conditions.replace('</saml:Conditions>', '<saml:Condition></saml:Condition></saml:Conditions>'),
    }),
  ],
  [
    'a confirmation without NotOnOrAfter',
    'saml_conditions',
    changed({ confirmation: without(confirmation, / NotOnOrAfter="[^"]*"/) }),
  ],
  [
    'a bearer confirmation with NotBefore',
    'saml_confirmation',
    changed({ confirmation: confirmation.replace(' NotOnOrAfter', ` NotBefore="${at(-30)}" NotOnOrAfter`) }),
  ],
  [
    'an assertion that answers no request',
    'saml_in_response_to',
    changed({ confirmation: without(confirmation, / InResponseTo="[^"]*"/) }),
  ],
  ['no confirmation', 'saml_confirmation', changed({ confirmation: '' })],
  [
    'holder of key',
    'saml_confirmation',
    changed({ confirmation: confirmation.replace('cm:bearer', 'cm:holder-of-key') }),
  ],
  ['no statement of authentication', 'saml_authentication', changed({ authentication: '' })],
  [
    'a session that has ended',
    'saml_authentication',
    changed({ authentication: authentication.replace(at(3600), at(-60)) }),
  ],
  [
    'a transient name',
    'saml_subject',
    changed({ nameId: nameId.replace(uris.email, 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient') }),
  ],
  ['no name', 'saml_subject', changed({ nameId: '' })],
  ['an empty name', 'saml_subject', changed({ nameId: nameId.replace(facts.nameId, ' ') })],
  ['a name of two lines', 'saml_subject', changed({ nameId: nameId.replace(facts.nameId, 'ada\neve') })],
  ['a long name', 'saml_subject', changed({ nameId: nameId.replace(facts.nameId, 'a'.repeat(513)) })],
  ['two names', 'saml_structure', changed({ nameId: nameId + nameId })],
  ['an element in the name', 'saml_structure', changed({ nameId: nameId.replace('@', '<saml:x></saml:x>@') })],
  ['another version', 'saml_structure', response(signed(assertion().replace('Version="2.0"', 'Version="1.1"'), first))],
];

const billion = `<!DOCTYPE lolz [<!ENTITY a "lol">${['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
  .map((name, index) => `<!ENTITY ${name} "${`&${'abcdefgh'[index]};`.repeat(10)}">`)
  .join('')}]>`;
const documents: readonly Attack[] = [
  ['a comment in the name', 'saml_malformed', response(good.replace('ada@example.org', 'ada@example.org<!---->.evil'))],
  ['a processing instruction in the name', 'saml_malformed', response(good.replace('ada@', 'ada<?x?>@'))],
  ['CDATA in the name', 'saml_malformed', response(good.replace('ada@', '<![CDATA[ada]]>@'))],
  ['a comment behind the response', 'saml_malformed', `${response(good)}<!-- -->`],
  ['entity expansion', 'saml_malformed', billion + response(good.replace('ada@', '&i;@'))],
  [
    'an external entity',
    'saml_malformed',
    `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${response(good.replace('ada@', '&e;@'))}`,
  ],
  ['an undeclared entity', 'saml_malformed', response(good.replace('ada@', '&e;@'))],
  ['a reference to a NUL', 'saml_malformed', response(good.replace('ada@', '&#0;@'))],
  ['two roots', 'saml_malformed', response(good) + response(good)],
  ['a text instead of a document', 'saml_malformed', 'hello'],
  ['tags that do not match', 'saml_malformed', response(good).replace('</samlp:Status>', '</samlp:State>')],
  ['an attribute twice', 'saml_malformed', response(good).replace('Version="2.0"', 'Version="2.0" Version="2.0"')],
  [
    'an attribute twice, by two prefixes of one namespace',
    'saml_malformed',
    response(good).replace('Version="2.0"', 'Version="2.0" xmlns:a="urn:x" xmlns:b="urn:x" a:c="" b:c=""'),
  ],
  ['an undeclared prefix', 'saml_malformed', response(good).replace(' xmlns:samlp=', ' xmlns:other=')],
  ['a body of 10 MB', 'saml_malformed', { field: 'A'.repeat(10_000_000) }],
  ['100,000 elements', 'saml_malformed', response(`${good}${'<x/>'.repeat(100_000)}`)],
  ['as many elements as fit', 'saml_malformed', response(`${good}${'<x/>'.repeat(40_000)}`)],
  ['elements nested 10,000 deep', 'saml_malformed', response(`${good}${'<x>'.repeat(10_000)}${'</x>'.repeat(10_000)}`)],
  [
    'many attributes',
    'saml_malformed',
    response(good).replace(
      'Version',
      `${Array.from({ length: 5_000 }, (_, index) => `a${index}=""`).join(' ')} Version`,
    ),
  ],
  [
    'many namespaces',
    'saml_malformed',
    response(good).replace(
      'Version',
      `${Array.from({ length: 600 }, (_, index) => `xmlns:a${index}="u"`).join(' ')} Version`,
    ),
  ],
  ['no base64', 'saml_malformed', { field: `${base64(response(good)).slice(0, -4)}*===` }],
  ['base64 of another alphabet', 'saml_malformed', { field: Buffer.from(response(good)).toString('base64url') }],
  ['an empty field', 'saml_malformed', { field: '' }],
  ['a compressed response', 'saml_malformed', { field: base64(gzipSync(response(good))) }],
  [
    'invalid UTF-8',
    'saml_malformed',
    { field: base64(Buffer.concat([Buffer.from(response(good)), Buffer.of(0xc0, 0xaf)])) },
  ],
  ['UTF-16', 'saml_malformed', { field: base64(Buffer.from(`\u{feff}${response(good)}`, 'utf16le')) }],
  ['UTF-16 as declared encoding', 'saml_malformed', `<?xml version="1.0" encoding="UTF-16"?>${response(good)}`],
  ['UTF-7 as declared encoding', 'saml_malformed', `<?xml version="1.0" encoding="UTF-7"?>${response(good)}`],
  ['a declaration behind a space', 'saml_malformed', ` <?xml version="1.0"?>${response(good)}`],
];

const encryptions: readonly Attack[] = [
  ['an encrypted assertion that is not signed', 'saml_signature', response(encrypted(assertion(), own.certificate))],
  [
    'an encrypted assertion of an unknown key',
    'saml_signature',
    response(encrypted(signed(assertion(), stranger), own.certificate)),
  ],
  [
    'a signed response around an encrypted assertion that is not signed',
    'saml_signature',
    signed(response(encrypted(assertion(), own.certificate).replaceAll(/<([\w:]+)([^<>]*)\/>/g, '<$1$2></$1>')), first),
  ],
  ['encrypted for another', 'saml_encryption', response(encrypted(good, other.certificate))],
  [
    'a flipped byte of the ciphertext',
    'saml_encryption',
    response(
      encrypted(good, own.certificate, {
        tampered: (bytes) =>
          Buffer.concat([bytes.subarray(0, 40), Buffer.of((bytes[40] ?? 0) ^ 1), bytes.subarray(41)]),
      }),
    ),
  ],
  ['RSA 1.5', 'saml_algorithm', response(encrypted(good, own.certificate, { transport: 'rsa-1_5' }))],
  [
    'AES-CBC in a response without signature',
    'saml_algorithm',
    response(encrypted(good, own.certificate, { cipher: 'aes128-cbc' })),
  ],
  ['an encrypted response', 'saml_encryption', response(encrypted(response(good), own.certificate))],
  ['a DTD within', 'saml_encryption', response(encrypted(billion + good, own.certificate))],
  [
    'two assertions within',
    'saml_structure',
    response(encrypted(insideLast(good, evilWithId('_evil')), own.certificate)),
  ],
  ['an encrypted assertion beside a plain one', 'saml_structure', response(good + encrypted(good, own.certificate))],
];

// Loads the library, so that its time is not counted below.
await codeOf(base64(response(good)));

let number = 0;
for (const [title, attacks] of Object.entries({ wrapping, signatures, statements, documents, encryptions }))
  void t.test(`attacks: ${title}`, async (t) => {
    for (const [name, code, xml] of attacks) {
      number += 1;
      const field = typeof xml === 'string' ? base64(xml) : xml.field;
      const start = performance.now();
      t.equal(await codeOf(field), code, `${number}: ${name}`);
      const taken = performance.now() - start;
      if (taken > 20) t.comment(`${number} took ${taken.toFixed(0)} ms`);
    }
  });
