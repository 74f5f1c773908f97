// Sealed secrets open only with their own key, and derived keys are the same in every process.
import t from 'tap';
import { aesSealer } from '#adapters/crypto/sealer';

const key = Uint8Array.from({ length: 32 }, (_, index) => index);
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

void t.test('sealer', async (t) => {
  const sealer = aesSealer(key);

  await t.test('opens its own sealed text, with a new nonce each time', async (t) => {
    const plain = new TextEncoder().encode('client secret');
    const sealed = sealer.seal(plain);
    t.match(sealed, /^v2\.[\w-]{8}\.[\w-]+$/);
    t.equal(text(sealer.open(sealed)), 'client secret');
    t.not(sealer.seal(plain), sealed);
    t.equal(text(aesSealer(key).open(sealed)), 'client secret', 'another process with the same key');
    t.equal(sealer.open(sealer.seal(new Uint8Array())).length, 0);
  });

  await t.test('rejects another key and every altered character', async (t) => {
    const sealed = sealer.seal(new TextEncoder().encode('client secret'));
    t.throws(() => aesSealer(new Uint8Array(32)).open(sealed), { name: 'Internal' });
    for (let at = 0; at < sealed.length - 1; at += 1) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      t.throws(
        () => sealer.open(sealed.slice(0, at) + other + sealed.slice(at + 1)),
        { name: 'Internal' },
        `character ${at}`,
      );
    }
    for (const broken of [
      '',
      'v1.',
      'v1.AAAA',
      'v2.',
      'v2.x.AAAA',
      `v3${sealed.slice(2)}`,
      `${sealed}.x`,
      sealed.slice(0, -4),
    ])
      t.throws(() => sealer.open(broken), { name: 'Internal' }, JSON.stringify(broken));
  });

  await t.test('key rotation: the newest key seals, every key opens, and the oldest key derives', async (t) => {
    const [old, next] = [key, new Uint8Array(32).fill(9)];
    const before = aesSealer(old).seal(new TextEncoder().encode('secret'), 'thing');
    const after = aesSealer({ all: () => [next, old], reload: () => undefined });
    t.equal(text(after.open(before, 'thing')), 'secret');
    t.equal(after.outdated(before), true);
    const again = after.seal(after.open(before, 'thing'), 'thing');
    t.equal(after.outdated(again), false);
    t.equal(text(aesSealer(next).open(again, 'thing')), 'secret', 'without the old key');
    t.throws(() => aesSealer(next).open(before, 'thing'), { name: 'Internal' });
    t.strictSame(after.derive('session-jwt'), aesSealer(old).derive('session-jwt'), 'sessions remain valid');
  });

  await t.test('reloads the keys to open a text sealed with a key that another process added', async (t) => {
    const next = new Uint8Array(32).fill(9);
    const sealed = aesSealer(next).seal(new TextEncoder().encode('secret'));
    let keys = [key];
    const late = aesSealer({ all: () => keys, reload: () => void (keys = [next, key]) });
    t.equal(text(late.open(sealed)), 'secret');
    t.equal(late.outdated(sealed), false);
  });

  await t.test('opens text sealed by version 0.1.0 and reports it as outdated', async (t) => {
    // Sealed by version 0.1.0 with the key 0, 1, 2 … 31; the plain text begins with a line that names the setting.
    const sealed = 'v1.ZTFmqKpKK6LxCaR8mEX4Xc0njyqtx53O5BEVwNW8GcQDK_UvY8cnj2j3f37vgD_H';
    t.equal(text(sealer.open(sealed, 'shop.secret')), 'hünter2');
    t.throws(() => sealer.open(sealed, 'shop.name'), { name: 'Internal' });
    t.throws(() => aesSealer(new Uint8Array(32)).open(sealed, 'shop.secret'), { name: 'Internal' });
    t.equal(sealer.outdated(sealed), true);
  });

  await t.test('derives one 32-byte key per purpose', async (t) => {
    t.equal(sealer.derive('session-jwt').length, 32);
    t.strictSame(sealer.derive('session-jwt'), aesSealer(key).derive('session-jwt'));
    t.notSame(sealer.derive('session-jwt'), sealer.derive('seal'));
    t.notSame(sealer.derive('session-jwt'), aesSealer(new Uint8Array(32)).derive('session-jwt'));
  });

  await t.test('rejects a key of another length', async (t) => {
    for (const length of [0, 16, 31, 33])
      t.throws(() => aesSealer(new Uint8Array(length)), { name: 'RangeError' }, String(length));
  });
});
