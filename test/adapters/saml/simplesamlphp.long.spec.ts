// The service provider with independent programs: the identity provider SimpleSAMLphp, the verifier xmlsec1, and the
// canonicalization of libxml2.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { canonicalXml } from '#adapters/saml/canonical';
import { makeSamlKeys, readIdentityProvider, serviceProvider } from '#adapters/saml/index';
import { parseXml, type XmlElement } from '#adapters/saml/xml';
import { assertion, facts, response, signed, uris } from '#test/support/servers/saml-oracle';
import { ensureSimpleSamlPhp, startSimpleSamlPhp, type IdpBehavior } from '../../../tools/peers/simplesamlphp.ts';

const [idpKeys, own] = await Promise.all([
  makeSamlKeys('Identity provider', facts.now, 2048),
  makeSamlKeys('Forge', facts.now, 2048),
]);
const provider = serviceProvider({ entityId: facts.entityId, acsUrl: facts.acsUrl, encryption: own, signing: own });

void t.test('SimpleSAMLphp', async (t) => {
  const peer = await startSimpleSamlPhp(idpKeys);
  t.teardown(() => peer.stop());
  peer.register(await provider.metadata());
  const idp = readIdentityProvider(await (await fetch(peer.metadataUrl)).text(), new Date());
  t.match(idp, { entityId: peer.metadataUrl, certificates: [idpKeys.certificate] });

  let requests = 0;
  const signIn = async (behavior: IdpBehavior) => {
    peer.behave(behavior);
    requests += 1;
    const request = { id: `_request-${requests}`, relayState: `state-${requests}`, now: new Date() };
    const { action, fields } = await peer.signIn(await provider.requestUrl(idp, request));
    t.equal(action, facts.acsUrl);
    t.equal(fields['RelayState'], request.relayState);
    return { request, field: fields['SAMLResponse'] ?? '' };
  };
  /** Behavior, and the text behind which a byte is changed. */
  const accepted: Readonly<Record<string, readonly [IdpBehavior, string]>> = {
    'a signed assertion': [{ signResponse: false }, '<saml:NameID '],
    'a signed assertion in a signed response': [{}, '<saml:NameID '],
    'an encrypted assertion in a signed response': [{ encryptAssertion: true }, '</dsig:KeyInfo>'],
  };
  for (const [name, [behavior, before]] of Object.entries(accepted))
    await t.test(`${name} is accepted, and refused with a changed byte`, async (t) => {
      const { request, field } = await signIn(behavior);
      t.match(await provider.verify(idp, field, { now: new Date() }), {
        inResponseTo: request.id,
        nameId: 'ada@example.org',
        nameIdFormat: 'email',
        attributes: [
          { name: 'uid', values: ['ada'] },
          { name: 'mail', values: ['ada@example.org'] },
          { name: 'displayName', values: ['Ada Lovelace'] },
        ],
      });
      const xml = Buffer.from(field, 'base64').toString();
      const parts = /^(?<start>.*<xenc:CipherValue>.{20}|.*<saml:NameID [^>]*>)(?<byte>.)(?<end>.*)$/s.exec(
        xml,
      )?.groups;
      t.match(parts?.['start'], before, 'the byte is found');
      const changed = `${parts?.['start']}${parts?.['byte'] === 'A' ? 'B' : 'A'}${parts?.['end']}`;
      await t.rejects(provider.verify(idp, Buffer.from(changed).toString('base64'), { now: new Date() }), {
        code: 'saml_signature',
      });
    });

  await t.test('a request with another signature is refused by SimpleSAMLphp', async (t) => {
    const request = { id: '_other', relayState: 'state', now: new Date() };
    const stranger = serviceProvider({ entityId: facts.entityId, acsUrl: facts.acsUrl, signing: idpKeys });
    await t.rejects(peer.signIn(await stranger.requestUrl(idp, request)), { message: /no sign-in form/ });
  });

  await t.test('an assertion encrypted with AES-CBC needs a signed response', async (t) => {
    const { field } = await signIn({ signResponse: false, encryptAssertion: true });
    await t.rejects(provider.verify(idp, field, { now: new Date() }), { code: 'saml_algorithm' });
  });
});

void t.test('xmlsec1 agrees about signatures', async (t) => {
  ensureSimpleSamlPhp();
  const folder = mkdtempSync(join(tmpdir(), 'hexforge-xmlsec-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const certificate = join(folder, 'certificate.pem');
  writeFileSync(
    certificate,
    `-----BEGIN CERTIFICATE-----\n${idpKeys.certificate.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  );
  const isValid = (xml: string): boolean => {
    const path = join(folder, 'response.xml');
    writeFileSync(path, xml);
    const ids = ['--id-attr:ID', `${uris.assertion}:Assertion`];
    return spawnSync('xmlsec1', ['--verify', '--pubkey-cert-pem', certificate, ...ids, path]).status === 0;
  };
  const good = response(signed(assertion(), idpKeys));
  t.equal(isValid(good), true, 'the oracle signs correctly');
  t.equal(isValid(good.replace('ada@', 'eve@')), false);
});

/** A document with prefixes, attributes and characters in random order; the same for the same seed. */
function randomXml(seed: number): string {
  let state = seed;
  const below = (most: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
  const one = <T>(of: readonly T[]): T => of[below(of.length)] as T;
  const texts = [
    'x',
    ' ',
    '\n',
    '\t',
    '&#13;',
    '&amp;',
    '&lt;',
    '&gt;',
    '&quot;',
    '"',
    "'",
    '&#9;',
    '&#10;',
    'é',
    '😀',
  ];
  const text = (): string => Array.from({ length: below(4) }, () => one(texts)).join('');
  const element = (depth: number, outer: readonly string[]): string => {
    const declared = ['', 'a', 'b', 'c'].filter(() => below(3) === 0);
    const known = [...new Set([...outer, ...declared])];
    const spaces = declared.map((prefix) => ({
      name: prefix === '' ? 'xmlns' : `xmlns:${prefix}`,
      value: prefix === '' && below(4) === 0 ? '' : `urn:${prefix}${below(2)}`,
    }));
    const prefixed = known.filter((prefix) => prefix !== '');
    const attributes = ['z', 'y', 'xml:lang', ...prefixed.map((prefix) => `${prefix}:x`)]
      .filter(() => below(2) === 0)
      .map((name) => ({ name, value: text().replaceAll('"', '') }));
    const all = [...attributes, ...spaces].toSorted(() => below(3) - 1);
    const prefix = one(['', ...prefixed]);
    const name = prefix === '' ? 'e' : `${prefix}:e`;
    const inside = Array.from({ length: below(4) }, () =>
      depth < 4 && below(2) === 0 ? element(depth + 1, known) : text(),
    );
    const start = `${name}${all.map((each) => ` ${each.name}="${each.value}"`).join('')}`;
    return inside.join('') === '' && below(2) === 0 ? `<${start}/>` : `<${start}>${inside.join('')}</${name}>`;
  };
  return `<root xmlns:a="urn:a" xmlns="urn:d">${element(0, ['', 'a'])}</root>`;
}

void t.test('canonical forms are those of libxml2', async (t) => {
  const documents = Array.from({ length: 500 }, (_, seed) => randomXml(seed + 1));
  const script = `foreach (json_decode(file_get_contents('php://stdin')) as $xml) {
    $document = new DOMDocument();
    $document->loadXML($xml);
    $first = $document->documentElement->firstChild;
    $of[] = [$first->C14N(true, false), $first->C14N(true, false, null, ['a', 'c'])];
  }
  echo json_encode($of, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);`;
  const { stdout } = spawnSync('php', ['-r', script], {
    input: JSON.stringify(documents),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const expected = JSON.parse(stdout) as readonly (readonly string[])[];
  t.equal(expected.length, documents.length);
  const ours = documents.map((xml) => {
    const first = parseXml(xml).children[0] as XmlElement;
    return [canonicalXml(first), canonicalXml(first, { inclusive: ['a', 'c'] })];
  });
  const different = documents.filter((_, index) => ours[index]?.join() !== expected[index]?.join());
  t.strictSame(different.slice(0, 3), []);
});
