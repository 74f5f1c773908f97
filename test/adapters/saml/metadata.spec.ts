// Metadata of identity providers and of this instance, and requests.
import { verify, X509Certificate } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import t from 'tap';
import { isSecureUrl, makeSamlKeys, readIdentityProvider, serviceProvider } from '#adapters/saml/index';
import { facts, idpMetadata, uris } from '#test/support/servers/saml-oracle';

const { now } = facts;
const [one, two] = await Promise.all([makeSamlKeys('Test', now, 2048), makeSamlKeys('Test', now, 2048)]);
const signing = ['signing', one.certificate] as const;
const good = idpMetadata({ keys: [signing] });

void t.test('metadata of an identity provider are read', async (t) => {
  t.strictSame(
    readIdentityProvider(
      idpMetadata({
        keys: [signing, ['both', two.certificate], ['encryption', one.certificate], signing],
        attributes: ' validUntil="2026-03-02T00:00:00Z"',
      }),
      now,
    ),
    {
      entityId: facts.idp,
      certificates: [one.certificate, two.certificate],
      redirectUrl: facts.sso,
      wantsSignedRequests: false,
      validUntil: new Date('2026-03-02T00:00:00Z'),
      warnings: [],
    },
  );
  t.match(readIdentityProvider(`<?xml version="1.0"?>\n<!-- a comment -->\n${good}\n`, now), { entityId: facts.idp });
  const [warning, ...more] = readIdentityProvider(good, new Date('2025-01-01')).warnings;
  t.match(warning, /^The certificate .* is valid from 2026-03-01T12:00:00.000Z .* It is used nevertheless$/);
  t.strictSame(more, []);
});

void t.test('metadata that cannot be used are refused', async (t) => {
  const cases: readonly (readonly [string, RegExp])[] = [
    [idpMetadata({ keys: [] }), /signing certificate/],
    [idpMetadata({ keys: [['encryption', one.certificate]] }), /signing certificate/],
    [idpMetadata({ keys: [['signing', 'AAAA']] }), /certificates in base64/],
    [idpMetadata({ keys: Array.from({ length: 21 }, () => signing) }), /at most 20/],
    [idpMetadata({ keys: [signing], sso: 'http://idp.example/sso' }), /https URL/],
    [idpMetadata({ keys: [signing], sso: 'javascript:alert(1)' }), /https URL/],
    [idpMetadata({ keys: [signing], entityId: '' }), /entityID/],
    [idpMetadata({ keys: [signing], attributes: ' validUntil="soon"' }), /validUntil/],
    [good.replace('HTTP-Redirect', 'HTTP-POST'), /HTTP-Redirect/],
    [good.replaceAll('IDPSSODescriptor', 'SPSSODescriptor'), /IDPSSODescriptor/],
    [good.replaceAll('EntityDescriptor', 'EntitiesDescriptor'), /EntityDescriptor/],
    [`<!DOCTYPE x>${good}`, /plain XML; they contain a DTD/],
    [`<?x?>${good}`, /processing instruction/],
    [good.replace(facts.idp, '&e;'), /unknown reference/],
    [`${good}${' '.repeat(1 << 20)}`, /1 MiB/],
    ['', /plain XML/],
  ];
  for (const [xml, message] of cases) t.throws(() => readIdentityProvider(xml, now), { message });
});

void t.test('URLs are https, or http on a loopback address', async (t) => {
  for (const url of ['https://idp.example/x', 'http://127.0.0.1:8080/', 'http://localhost/', 'http://[::1]/'])
    t.equal(isSecureUrl(url), true, url);
  for (const url of [
    'http://idp.example/',
    'http://127.0.0.1.example/',
    'https://a:b@idp.example/',
    'file:///x',
    '/x',
    '',
  ])
    t.equal(isSecureUrl(url), false, url);
});

const provider = serviceProvider({ entityId: facts.entityId, acsUrl: facts.acsUrl, encryption: one, signing: two });

void t.test('the metadata of this instance have its addresses and its certificate', async (t) => {
  const xml = await provider.metadata();
  t.match(xml, `entityID="${facts.entityId}"`);
  t.match(xml, 'WantAssertionsSigned="true"');
  t.match(xml, `Location="${facts.acsUrl}"`);
  t.match(xml, 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST');
  t.match(xml, `<NameIDFormat>${uris.email}</NameIDFormat>`);
  t.match(xml, 'AuthnRequestsSigned="true"');
  t.match(xml, new RegExp(`<KeyDescriptor use="encryption">.*${RegExp.escape(one.certificate)}`));
  t.match(xml, new RegExp(`<KeyDescriptor use="signing">.*${RegExp.escape(two.certificate)}`));
});

void t.test('the certificate of the keys is self-signed and has no end', async (t) => {
  const certificate = new X509Certificate(Buffer.from(one.certificate, 'base64'));
  t.equal(certificate.verify(certificate.publicKey), true);
  t.equal(certificate.subject, 'CN=Test');
  t.equal(certificate.validTo, 'Dec 31 23:59:59 9999 GMT');
});

void t.test('a request has the id, the time and the addresses, escaped', async (t) => {
  const idp = readIdentityProvider(idpMetadata({ keys: [signing], sso: 'https://idp.example/sso?a=1&amp;b=%22' }), now);
  const url = new URL(await provider.requestUrl(idp, { id: '_r1', relayState: 'state-1', now }));
  t.equal(url.origin + url.pathname, 'https://idp.example/sso');
  t.equal(url.searchParams.get('a'), '1');
  t.equal(url.searchParams.get('RelayState'), 'state-1');
  const xml = inflateRawSync(Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  t.match(xml, 'ID="_r1" Version="2.0" ForceAuthn="false" IssueInstant="2026-03-01T12:00:00.000Z"');
  t.match(xml, 'Destination="https://idp.example/sso?a=1&amp;b=%22"');
  t.match(xml, `AssertionConsumerServiceURL="${facts.acsUrl}"`);
  t.match(xml, `<saml:Issuer>${facts.entityId}</saml:Issuer>`);
  t.notMatch(xml, '{');
  const [signed = '', signature = ''] = url.search.slice('?a=1&b=%22&'.length).split('&Signature=');
  const key = new X509Certificate(Buffer.from(two.certificate, 'base64')).publicKey;
  t.match(signed, /^SAMLRequest=[^&]+&RelayState=state-1&SigAlg=/);
  t.equal(verify('sha256', Buffer.from(signed), key, Buffer.from(decodeURIComponent(signature), 'base64')), true);
});

void t.test('without keys, requests are not signed, except where that is required', async (t) => {
  const plain = serviceProvider({ entityId: facts.entityId, acsUrl: facts.acsUrl });
  const request = { id: '_r1', relayState: 'state-1', now };
  t.notMatch(await plain.requestUrl(readIdentityProvider(good, now), request), 'Signature=');
  const wanted = good.replace('<md:IDPSSODescriptor', '<md:IDPSSODescriptor WantAuthnRequestsSigned="true"');
  await t.rejects(plain.requestUrl(readIdentityProvider(wanted, now), request), { code: 'bad_gateway' });
  t.match(await provider.requestUrl(readIdentityProvider(wanted, now), request), 'Signature=');
});
