// The format of personal access tokens, passwords and refresh tokens.
import { randomBytes } from 'node:crypto';
import { crc32 as zlibCrc32 } from 'node:zlib';
import t from 'tap';
import { encodeBase62, randomBase62 } from '#core/identity/model/base62';
import { generatePassword } from '#core/identity/model/password';
import { isRefreshToken, mintRefreshToken } from '#core/identity/model/session';
import { crc32, isToken, mintToken } from '#core/identity/model/access-token';
import type { Ids } from '#core/kernel/time';

const ids: Ids = { uuid: () => 'unused', bytes: (length) => new Uint8Array(randomBytes(length)) };

void t.test('token', async (t) => {
  await t.test('is svc_ and 36 base62 characters, the last 6 a CRC-32 of the rest', async (t) => {
    const token = mintToken(ids);
    t.match(token, /^svc_[0-9A-Za-z]{36}$/);
    t.equal(token.slice(-6), encodeBase62(zlibCrc32(token.slice(0, -6)), 6));
    t.equal(isToken(token), true);
  });

  await t.test('a changed, missing or extra character fails the checksum or the format', async (t) => {
    const token = mintToken(ids);
    for (let at = 4; at < token.length; at += 1) {
      const other = token[at] === 'a' ? 'b' : 'a';
      t.equal(isToken(token.slice(0, at) + other + token.slice(at + 1)), false, `character ${at}`);
    }
    for (const text of [
      token.slice(0, -1),
      `${token}0`,
      `${token}\n`,
      token.replace('svc_', 'svd_'),
      token.replace('svc_', 'svc_oat_'),
      '',
      'svc_',
      ` ${token}`,
    ])
      t.equal(isToken(text), false, JSON.stringify(text));
  });

  await t.test('a thousand tokens are different', async (t) => {
    t.equal(new Set(Array.from({ length: 1000 }, () => mintToken(ids))).size, 1000);
  });

  await t.test("CRC-32 equals zlib's", async (t) => {
    t.equal(crc32('123456789'), 0xcbf43926);
    for (const text of ['', 'a', 'svc_', 'x'.repeat(500)])
      t.equal(crc32(text), zlibCrc32(text), JSON.stringify(text.slice(0, 10)));
  });

  await t.test('base62 pads to its width', async (t) => {
    t.strictSame(
      [0, 61, 62, 0xffffffff].map((value) => encodeBase62(value, 6)),
      ['000000', '00000z', '000010', '4gfFC3'],
    );
  });

  await t.test('random base62 discards bytes that would bias it', async (t) => {
    const bytes: Uint8Array[] = [new Uint8Array(9).fill(255), Uint8Array.from([248, 61, 0, 255, 62, 0, 0, 0, 0, 0])];
    const given: Ids = { uuid: () => 'unused', bytes: () => bytes.shift() ?? (t.fail('called too often') as never) };
    t.equal(randomBase62(given, 3), 'z00');
  });

  await t.test('a refresh token has 256 bits, a generated password 142, and neither is an access token', async (t) => {
    const refresh = mintRefreshToken(ids);
    t.match(refresh, /^[0-9A-Za-z]{43}$/);
    t.equal(isRefreshToken(refresh), true);
    t.equal(isToken(refresh), false);
    t.equal(isRefreshToken(`${refresh}=`), false);
    t.match(generatePassword(ids), /^[0-9A-Za-z]{24}$/);
  });
});
