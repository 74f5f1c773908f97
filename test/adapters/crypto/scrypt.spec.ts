// Password hashes: their format, salts, verification for unknown users, and the default cost.
import t from 'tap';
import { owaspCost, scryptHasher } from '#adapters/crypto/scrypt';

const cheap = { logN: 4, blockSize: 8, parallel: 1 };

void t.test('scrypt', async (t) => {
  await t.test('verifies the password it hashed and no other', async (t) => {
    const hasher = scryptHasher({ cost: cheap });
    const hash = await hasher.hash('correct horse');
    t.match(hash, /^\$scrypt\$ln=4,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    t.equal(await hasher.verify('correct horse', hash), true);
    for (const wrong of ['correct hors', 'Correct horse', ''])
      t.equal(await hasher.verify(wrong, hash), false, JSON.stringify(wrong));
    t.not(hash, await hasher.hash('correct horse'), 'each hash has its own salt');
  });

  await t.test('an unknown or malformed hash never verifies', async (t) => {
    const hasher = scryptHasher({ cost: cheap });
    t.equal(await hasher.verify('', undefined), false);
    t.equal(await hasher.verify('x', ''), false);
    t.equal(await hasher.verify('x', '$scrypt$ln=99,r=8,p=1$$'), false);
  });

  await t.test('verifies a hash with the parameters of RFC 7914, section 12', async (t) => {
    const hasher = scryptHasher({ cost: cheap });
    // N=1024, r=8, p=16, salt "NaCl", the first 8 of 64 bytes. That salt is too short for the hasher's format, so a
    // longer one is checked through one of its hashes.
    const { scryptSync } = await import('node:crypto');
    t.equal(
      scryptSync('password', 'NaCl', 64, { N: 1024, r: 8, p: 16 }).toString('hex').slice(0, 16),
      'fdbabe1c9d347200',
    );
    const salt = Buffer.alloc(16, 7);
    const key = scryptSync('password', salt, 32, { N: 1024, r: 8, p: 16, maxmem: 64 << 20 });
    const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
    t.equal(await hasher.verify('password', `$scrypt$ln=10,r=8,p=16$${text(salt)}$${text(key)}`), true);
  });

  await t.test('a hash with other parameters is outdated but still verifies', async (t) => {
    const old = await scryptHasher({ cost: cheap }).hash('secret password');
    const today = scryptHasher({ cost: { ...cheap, logN: 5 } });
    t.equal(today.outdated(old), true);
    t.equal(await today.verify('secret password', old), true);
    t.equal(today.outdated(await today.hash('secret password')), false);
    t.equal(today.outdated('plain'), true);
  });

  await t.test('the default cost is one that OWASP recommends', async (t) => {
    const hasher = scryptHasher();
    const hash = await hasher.hash('secret password');
    t.ok(hash.startsWith('$scrypt$ln=14,r=8,p=5$'), hash.slice(0, 24));
    t.equal(await hasher.verify('secret password', hash), true);
    t.strictSame(owaspCost, { logN: 14, blockSize: 8, parallel: 5 });
  });
});
