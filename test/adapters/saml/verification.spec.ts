// Honest responses are accepted in every form, and each is checked twice.
import { SamlLib } from 'samlify';
import t from 'tap';
import { readIdentityProvider, serviceProvider } from '#adapters/saml/index';
import {
  assertion,
  at,
  base64,
  encrypted,
  facts,
  honest,
  idpMetadata,
  response,
  signatureOf,
  signed,
  uris,
  withSignature,
} from '#test/support/servers/saml-oracle';
import { codeOf, first, idp, own, provider, second, stranger } from './verifier.ts';

const { now } = facts;
const { conditions, confirmation } = honest;
const good = signed(assertion(), first);

/** An assertion with one part replaced. */
const changed = (change: Parameters<typeof assertion>[0]): string => response(signed(assertion(change), first));

void t.test('honest responses are accepted', async (t) => {
  const prefixed = assertion().replaceAll('saml:', 'a:').replace('xmlns:saml', 'xmlns:a');
  const prefixedSignature = signatureOf(prefixed, first.privateKey);
  const byDefault = assertion().replaceAll('saml:', '').replace('xmlns:saml', 'xmlns');
  const inclusive = assertion().replace(' ID=', ' xmlns:xs="urn:xs" ID=');
  const prefixList = `<ec:InclusiveNamespaces xmlns:ec="${uris.exclusive}" PrefixList="xs"></ec:InclusiveNamespaces>`;
  const inclusiveSignature = signatureOf(inclusive, first.privateKey, {
    signedInfo: (xml) => xml.replace('</ds:Transform></ds:Transforms>', `${prefixList}</ds:Transform></ds:Transforms>`),
  });
  const cases: Readonly<Record<string, string>> = {
    'a signed assertion': response(good),
    'with a declaration': `<?xml version="1.0" encoding="UTF-8"?>\n${response(good)}\n`,
    'signed by the second certificate': response(signed(assertion(), second)),
    'signed, with the certificate in the message': response(
      signed(assertion(), second, { keyInfo: second.certificate }),
    ),
    'signed, with another certificate in the message': response(
      signed(assertion(), first, { keyInfo: stranger.certificate }),
    ),
    'RSA-SHA512': response(
      signed(assertion(), first, {
        method: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
        digest: 'http://www.w3.org/2001/04/xmlenc#sha512',
      }),
    ),
    'RSA-PSS': response(
      signed(assertion(), first, { method: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1' }),
    ),
    'a signed response, too': signed(response(good), first),
    'a signed response by the second certificate': signed(response(good), second, { keyInfo: second.certificate }),
    'another prefix': response(prefixed.replace('</a:Issuer>', () => `</a:Issuer>${prefixedSignature}`)),
    'the default namespace': response(
      byDefault.replace('</Issuer>', () => `</Issuer>${signatureOf(byDefault, first.privateKey)}`),
    ),
    'a list of prefixes': response(withSignature(inclusive, inclusiveSignature)),
    'no issuer and destination of the response': response(good, { issuer: '', attributes: '' }),
    'a second confirmation that is not ours': changed({
      confirmation: confirmation.replace(facts.acsUrl, 'x') + confirmation,
    }),
    'times at the edge': changed({ conditions: conditions.replace(at(-30), at(60)).replace(at(300), at(-59)) }),
    'AES-128-GCM': response(encrypted(good, own.certificate, { cipher: 'aes128-gcm' })),
    'AES-256-GCM, OAEP with SHA-256': response(encrypted(good, own.certificate, { transport: 'rsa-oaep' })),
    'AES-CBC in a signed response': signed(
      response(
        encrypted(good, own.certificate, { cipher: 'aes256-cbc' }).replaceAll(/<([\w:]+)([^<>]*)\/>/g, '<$1$2></$1>'),
      ),
      first,
    ),
  };
  for (const [name, xml] of Object.entries(cases)) t.equal(await codeOf(base64(xml)), 'accepted', name);
  t.equal(await codeOf(base64(response(good)).replace(/.{76}/g, '$&\r\n')), 'accepted', 'base64 in lines');
});

void t.test('the statements of a verified assertion are returned', async (t) => {
  t.strictSame(await provider.verify(idp, base64(response(good)), { now }), {
    assertionId: facts.assertionId,
    inResponseTo: facts.request,
    notOnOrAfter: new Date(at(360)),
    nameId: facts.nameId,
    nameIdFormat: 'email',
    attributes: [{ name: 'urn:oid:2.16.840.1.113730.3.1.241', friendlyName: 'displayName', values: ['Ada Lovelace'] }],
  });
});

void t.test('expired metadata accept nothing', async (t) => {
  const expired = readIdentityProvider(
    idpMetadata({ keys: [['signing', first.certificate]], attributes: ` validUntil="${at(0)}"` }),
    now,
  );
  await t.rejects(provider.verify(expired, base64(response(good)), { now }), { code: 'saml_metadata_expired' });
});

void t.test('without keys, encrypted assertions are refused', async (t) => {
  const plain = serviceProvider({ entityId: facts.entityId, acsUrl: facts.acsUrl });
  await t.rejects(plain.verify(idp, base64(response(encrypted(good, own.certificate))), { now }), {
    code: 'saml_encryption',
  });
});

void t.test('samlify has to accept what the adapter has verified, and gets nothing else', async (t) => {
  const { verifySignature } = SamlLib;
  let asked = 0;
  let verdict: readonly [boolean, string | null] | undefined;
  SamlLib.verifySignature = (...given) => {
    asked += 1;
    return verdict === undefined ? verifySignature.apply(SamlLib, given) : [...verdict];
  };
  t.teardown(() => {
    SamlLib.verifySignature = verifySignature;
  });
  const check = async (xml: string): Promise<readonly [string, number]> => {
    asked = 0;
    return [await codeOf(base64(xml)), asked];
  };
  t.strictSame(await check(response(good)), ['accepted', 1]);
  t.strictSame(await check(signed(response(good), first)), ['accepted', 2]);
  t.strictSame(await check(response(good.replace('ada@', 'eve@'))), ['saml_signature', 0]);
  t.strictSame(await check(response(signed(assertion(), stranger))), ['saml_signature', 0]);
  verdict = [false, null];
  t.strictSame(await check(response(good)), ['saml_signature', 1]);
  verdict = [true, null];
  t.strictSame(await check(response(good)), ['saml_signature', 1]);
});

void t.test('a changed response of many elements costs little', async (t) => {
  const values = '<saml:AttributeValue>x</saml:AttributeValue>'.repeat(900);
  const attributes = `<saml:AttributeStatement><saml:Attribute Name="groups">${values}</saml:Attribute></saml:AttributeStatement>`;
  const large = response(signed(assertion({ attributes }), first));
  t.equal(await codeOf(base64(large)), 'accepted');
  const before = process.cpuUsage();
  t.equal(await codeOf(base64(large.replace('ada@', 'eve@'))), 'saml_signature');
  const { user, system } = process.cpuUsage(before);
  t.ok(user + system < 50_000, `${(user + system) / 1000} ms of a processor`);
});
