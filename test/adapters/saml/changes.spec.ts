// Random changes of honest responses: each is refused, or the result is that of the honest response.
import t from 'tap';
import { makeSamlKeys, readIdentityProvider, serviceProvider } from '#adapters/saml/index';
import { HexforgeError } from '#core/kernel/errors';
import { assertion, base64, encrypted, facts, idpMetadata, response, signed } from '#test/support/servers/saml-oracle';

const { now } = facts;
const [idpKeys, own] = await Promise.all([makeSamlKeys('Test', now, 2048), makeSamlKeys('Test', now, 2048)]);
const idp = readIdentityProvider(idpMetadata({ keys: [['signing', idpKeys.certificate]] }), now);
const provider = serviceProvider({ entityId: facts.entityId, acsUrl: facts.acsUrl, encryption: own });
const good = signed(assertion(), idpKeys);

const seed = Number(process.env['HEXFORGE_TEST_SEED'] ?? Date.now() % 1_000_000);
let state = seed;
const below = (most: number): number => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((state / 2_147_483_648) * most);
};

/** Replaces, removes, doubles or moves a piece. */
function changed(xml: string): string {
  const at = below(xml.length);
  const length = 1 + below(below(4) === 0 ? 400 : 4);
  const piece = xml.slice(at, at + length);
  const rest = xml.slice(0, at) + xml.slice(at + length);
  const other = below(rest.length);
  const put = (text: string): string => xml.slice(0, at) + text + xml.slice(at + length);
  const way = below(5);
  if (way === 0) return put(String.fromCodePoint(32 + below(95)));
  if (way === 1) return rest;
  if (way === 2) return put(piece + piece);
  if (way === 3) return rest.slice(0, other) + piece + rest.slice(other);
  return put(
    ['<', '>', '&', '"', '&#38;', '<!---->', ' ', '/>', 'xmlns="urn:x" ', 'ID="_assertion-1" '][below(10)] ?? '',
  );
}

const documents: Readonly<Record<string, string>> = {
  'a signed assertion': response(good),
  'a signed response': signed(response(good), idpKeys),
  'an encrypted assertion': response(encrypted(good, own.certificate)),
};
for (const [name, xml] of Object.entries(documents))
  void t.test(`${name}, changed 400 times (seed ${seed})`, async (t) => {
    const honest = await provider.verify(idp, base64(xml), { now });
    let refusals = 0;
    for (let round = 0; round < 400; round += 1) {
      const text = changed(xml);
      try {
        const read = await provider.verify(idp, base64(text), { now });
        if (JSON.stringify(read) !== JSON.stringify(honest)) t.strictSame(read, honest, text);
      } catch (error) {
        refusals += 1;
        if (!(error instanceof HexforgeError) || !error.code.startsWith('saml_')) t.fail(text, { error });
      }
    }
    t.ok(refusals > 200, `${refusals} were refused`);
  });
