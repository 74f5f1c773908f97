// Contract checks for PasswordHasher, PasswordSignIn, PageSessions, AccountStanding, Sealer, SealedRecords and
// CredentialReader.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type {
  AccountStanding,
  CredentialReader,
  PageSessions,
  PasswordHasher,
  PasswordSignIn,
  SealedRecords,
  Sealer,
} from '#core/kernel/access/credentials';
import type { Check } from './checks.ts';

const password = 'correct horse battery staple ü';

export const passwordHasherChecks: readonly Check<PasswordHasher>[] = [
  {
    name: 'verifies the right password and no other',
    async run(hasher) {
      const hash = await hasher.hash(password, '192.0.2.1');
      assert.equal(await hasher.verify(password, hash, '192.0.2.1'), true);
      for (const wrong of ['', password.slice(0, -1), `${password} `, password.toUpperCase(), hash])
        assert.equal(await hasher.verify(wrong, hash), false, JSON.stringify(wrong));
    },
  },
  {
    name: 'rejects every password if there is no hash',
    async run(hasher) {
      assert.equal(await hasher.verify(password, undefined), false);
    },
  },
  {
    name: 'a hash does not contain the password, and two hashes of one password differ',
    async run(hasher) {
      const [one, other] = [await hasher.hash(password), await hasher.hash(password)];
      assert.notEqual(one, other);
      assert.ok(!one.includes(password) && !one.includes(Buffer.from(password).toString('base64').slice(0, 20)));
    },
  },
  {
    name: 'a hash just made is not outdated, and a hash of another algorithm is',
    async run(hasher) {
      assert.equal(hasher.outdated(await hasher.hash(password)), false);
      assert.equal(hasher.outdated('$unheard-of$1$c2FsdA$aGFzaA'), true);
    },
  },
];

export interface SignInUnderTest {
  readonly signIn: PasswordSignIn;
  /** A name and password that sign in, and the id of the account. */
  readonly known: { readonly username: string; readonly password: string; readonly userId: string };
}

const from = { ip: '192.0.2.1', now: new Date('2030-01-01T00:00:00Z') };

export const passwordSignInChecks: readonly Check<SignInUnderTest>[] = [
  {
    name: 'a right password returns its account',
    async run({ signIn, known }) {
      assert.equal((await signIn.prove(known.username, known.password, from))?.id, known.userId);
    },
  },
  {
    name: 'a wrong password and an unknown name return undefined',
    async run({ signIn, known }) {
      for (const [name, wrong] of [
        [known.username, `${known.password} `],
        [known.username, ''],
        ['nobody-of-that-name', known.password],
      ] as const)
        assert.equal(await signIn.prove(name, wrong, from), undefined, name);
    },
  },
  {
    name: 'a proof returns the account again later, without the password',
    async run({ signIn, known }) {
      const proved = await signIn.prove(known.username, known.password, from);
      if (proved?.unchanged !== undefined) assert.equal((await proved.unchanged(from.now))?.id, known.userId);
    },
  },
];

export interface PageSessionsUnderTest {
  readonly sessions: PageSessions;
  /** A page token of a session that has not ended. */
  readonly pageToken: string;
  readonly now: Date;
  end(): Promise<void>;
}

export const pageSessionsChecks: readonly Check<PageSessionsUnderTest>[] = [
  {
    name: 'a page token renews its session repeatedly, until the session ends',
    async run({ sessions, pageToken, now, end }) {
      const first = await sessions.renew(pageToken, now);
      assert.ok(first !== undefined && first.lifetimes.accessSeconds > 0);
      assert.equal(await sessions.renew(first.accessToken, now), undefined, 'an access token is not a page token');
      for (const token of [pageToken, first.pageToken]) assert.ok(await sessions.renew(token, now));
      await end();
      for (const token of [pageToken, first.pageToken]) assert.equal(await sessions.renew(token, now), undefined);
    },
  },
  {
    name: 'a malformed or altered token is undefined',
    async run({ sessions, pageToken, now }) {
      for (const token of ['', 'eyJ', pageToken.slice(0, -2), `${pageToken}x`, 'x'.repeat(5000)])
        assert.equal(await sessions.renew(token, now), undefined);
    },
  },
];

const texts = [new Uint8Array(), new Uint8Array([0, 255, 10]), new Uint8Array(5000).fill(7)];

export const sealerChecks: readonly Check<Sealer>[] = [
  {
    name: 'opening a sealed value returns the original bytes',
    async run(sealer) {
      for (const plain of texts) assert.deepEqual(new Uint8Array(sealer.open(sealer.seal(plain))), plain);
    },
  },
  {
    name: 'sealing the same secret twice gives different texts',
    async run(sealer) {
      const plain = new Uint8Array(32).fill(1);
      assert.notEqual(sealer.seal(plain), sealer.seal(plain));
    },
  },
  {
    name: 'rejects a sealed text that was altered and a text that was never sealed',
    async run(sealer) {
      const sealed = sealer.seal(new Uint8Array(32).fill(1));
      for (let at = 0; at < sealed.length; at += 7) {
        const other = sealed[at] === 'A' ? 'B' : 'A';
        assert.throws(() => sealer.open(sealed.slice(0, at) + other + sealed.slice(at + 1)), Error, `at ${at}`);
      }
      for (const text of ['', 'sealed', sealed.slice(0, -8)]) assert.throws(() => sealer.open(text));
    },
  },
  {
    name: 'a text sealed for one purpose opens for no other, and is not outdated',
    async run(sealer) {
      const plain = new Uint8Array(8).fill(7);
      const sealed = sealer.seal(plain, 'one.thing');
      assert.deepEqual(new Uint8Array(sealer.open(sealed, 'one.thing')), plain);
      for (const about of [undefined, '', 'one.thin', 'other.thing']) assert.throws(() => sealer.open(sealed, about));
      assert.throws(() => sealer.open(sealer.seal(plain), 'one.thing'));
      assert.equal(sealer.outdated(sealed), false);
    },
  },
  {
    name: 'a key for a purpose has 32 bytes, is the same each time, and differs from the key for another purpose',
    async run(sealer) {
      const key = sealer.derive('contract-one');
      assert.equal(key.length, 32);
      assert.deepEqual(sealer.derive('contract-one'), key);
      assert.notDeepEqual(sealer.derive('contract-two'), key);
    },
  },
];

export const sealedRecordsChecks: readonly Check<SealedRecords>[] = [
  {
    name: 'a second reseal finds nothing to seal',
    async run(records) {
      assert.ok(records.what.length > 0);
      assert.ok((await records.reseal()) >= 0);
      assert.equal(await records.reseal(), 0);
    },
  },
];

export interface AccountStandingUnderTest {
  readonly standing: AccountStanding;
  /** An account that may sign in, and one that is suspended. */
  readonly user: { readonly id: string; readonly username: string };
  readonly suspended: { readonly id: string };
}

export const accountStandingChecks: readonly Check<AccountStandingUnderTest>[] = [
  {
    name: 'returns an account that may sign in, and undefined for a suspended or unknown one',
    async run({ standing, user, suspended }) {
      const { kind, id, username } = (await standing.of(user.id)) ?? {};
      assert.deepEqual({ kind, id, username }, { kind: 'user', id: user.id, username: user.username });
      assert.equal(await standing.of(suspended.id), undefined);
      assert.equal(await standing.of(randomUUID()), undefined);
    },
  },
];

export interface CredentialReaderUnderTest {
  readonly reader: CredentialReader;
  /** A valid token and the id of its user. */
  readonly good: { readonly token: string; readonly userId: string };
  /** A time at which the token is valid. */
  readonly now: Date;
  /** Revokes the valid token. */
  revoke?(): Promise<void>;
}

export const credentialReaderChecks: readonly Check<CredentialReaderUnderTest>[] = [
  {
    name: 'a valid token starts with the prefix, and each read returns its user',
    async run({ reader, good, now }) {
      assert.ok(good.token.startsWith(reader.prefix));
      for (let time = 0; time < 2; time += 1) {
        const user = await reader.read(good.token, now);
        assert.equal(user?.id, good.userId);
        assert.equal(user.kind, 'user');
      }
    },
  },
  {
    name: 'a malformed, truncated, altered or unknown token is undefined',
    async run({ reader, good, now }) {
      const { prefix } = reader;
      for (const token of [
        prefix,
        `${prefix}x`,
        `${prefix}${randomUUID()}`,
        good.token.slice(0, -1),
        `${good.token}x`,
        `${prefix}' or '1'='1`,
        `${prefix}${'x'.repeat(5000)}`,
        `${prefix}👤`,
      ])
        assert.equal(await reader.read(token, now), undefined, JSON.stringify(token.slice(0, 80)));
    },
  },
  {
    name: '`unchanged` of a caller, if the reader has it, returns the same caller',
    async run({ reader, good, now }) {
      const user = await reader.read(good.token, now);
      if (user?.unchanged !== undefined) assert.equal((await user.unchanged(now))?.id, good.userId);
    },
  },
  {
    name: 'a revoked token is undefined at once, also for a caller that was read before',
    async run({ reader, good, now, revoke }) {
      if (revoke === undefined) return;
      const user = await reader.read(good.token, now);
      await revoke();
      assert.equal(await reader.read(good.token, now), undefined);
      assert.equal(await user?.unchanged?.(now), undefined);
    },
  },
];
