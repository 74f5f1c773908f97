// Session JWTs: only one algorithm, type, issuer, audience and time span is accepted.
import { generateKeyPairSync } from 'node:crypto';
import { base64url, SignJWT, UnsecuredJWT } from 'jose';
import t from 'tap';
import { jwtSessionTokens, sha256Hasher } from '#adapters/crypto/session-tokens';

const key = new Uint8Array(32).fill(7);
const issuer = 'https://forge.example';
const claims = { sessionId: '6f6c8d0e-0f5e-4b53-9a53-0a3c6d1b2c01', userId: '6f6c8d0e-0f5e-4b53-9a53-0a3c6d1b2c02' };
const now = new Date('2030-01-01T12:00:00Z');
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);

void t.test('session tokens', async (t) => {
  const tokens = jwtSessionTokens({ key, issuer });
  /** A valid token except for the given header and payload members. */
  const forged = (header: object, payload: object, with_: Uint8Array = key): Promise<string> =>
    new SignJWT({
      sid: claims.sessionId,
      sub: claims.userId,
      iss: issuer,
      aud: `${issuer}/api/v1`,
      exp: later(900).getTime() / 1000,
      ...payload,
    })
      .setProtectedHeader({ alg: 'HS256', typ: 'svc-session+jwt', ...header })
      .sign(with_);

  await t.test('reads its own token until it expires', async (t) => {
    const token = await tokens.issue(claims, now, later(900));
    t.ok(token.startsWith('eyJ'));
    t.strictSame(await tokens.read(token, now), claims);
    t.strictSame(await tokens.read(token, later(899)), claims);
    t.equal(await tokens.read(token, later(900)), undefined);
    t.strictSame(await tokens.read(await forged({}, {}), now), claims, 'the unmodified forged token is valid');
  });

  await t.test('rejects another key, type, issuer, audience or time, and missing claims', async (t) => {
    const bad: readonly [string, Promise<string>][] = [
      ['another key', forged({}, {}, new Uint8Array(32).fill(8))],
      ['HS512', forged({ alg: 'HS512' }, {}, new Uint8Array(64).fill(7))],
      ['type of an ID token', forged({ typ: 'JWT' }, {})],
      ['no type', forged({ typ: undefined }, {})],
      ['another issuer', forged({}, { iss: 'https://evil.example' })],
      ['another audience', forged({}, { aud: 'https://forge.example/api/v1/mcp/a/b' })],
      ['not yet valid', forged({}, { nbf: later(60).getTime() / 1000 })],
      ['no expiry', forged({}, { exp: undefined })],
      ['no session', forged({}, { sid: undefined })],
      ['a session that is not a string', forged({}, { sid: { $ne: '' } })],
      ['no user', forged({}, { sub: undefined })],
    ];
    for (const [name, token] of bad) t.equal(await tokens.read(await token, now), undefined, name);
  });

  await t.test('rejects alg none, a public key used as the secret, and text that is not a JWT', async (t) => {
    const none = new UnsecuredJWT({ sid: claims.sessionId })
      .setSubject(claims.userId)
      .setIssuer(issuer)
      .setAudience(`${issuer}/api/v1`)
      .setExpirationTime(later(900))
      .encode();
    t.equal(await tokens.read(none, now), undefined);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    t.equal(
      await tokens.read(
        await new SignJWT({ sid: claims.sessionId })
          .setProtectedHeader({ alg: 'RS256', typ: 'svc-session+jwt' })
          .setSubject(claims.userId)
          .setIssuer(issuer)
          .setAudience(`${issuer}/api/v1`)
          .setExpirationTime(later(900))
          .sign(privateKey),
        now,
      ),
      undefined,
    );
    const good = await tokens.issue(claims, now, later(900));
    const [header = '', , signature = ''] = good.split('.');
    const swapped = base64url.encode(JSON.stringify({ sid: claims.sessionId, sub: 'someone else' }));
    for (const text of [
      '',
      'eyJ',
      'eyJ..',
      `${header}.${swapped}.${signature}`,
      `${good}x`,
      `${header}.${swapped}.`,
      `eyJ${'A'.repeat(100_000)}`,
      'ÿ.ÿ.ÿ',
    ])
      t.equal(await tokens.read(text, now), undefined, text.slice(0, 20));
  });

  await t.test('SHA-256 matches FIPS 180-4', async (t) => {
    t.equal(sha256Hasher.hash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
