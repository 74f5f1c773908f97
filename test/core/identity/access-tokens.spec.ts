// Personal access tokens, on in-memory stores.
import t from 'tap';
import { systemIds } from '#adapters/system/time';
import type { AccountStore, TokenStore } from '#core/identity/index';
import { world } from './world.ts';

async function signedIn() {
  const w = world();
  const ada = await w.account('ada');
  const { accessToken } = await w.signIn('ada');
  const id = (await w.reads(accessToken))?.credential.id ?? '';
  return { ...w, ada, session: () => w.as(ada, { id }) };
}
const page = { page: 1, perPage: 25 };
const wanted = { name: 'laptop', scopes: ['issue:read', 'admin:users', 'issue:read'], expiresAt: undefined };

void t.test('access tokens', async (t) => {
  await t.test(
    'a token authenticates its user with its scopes once each; only a hash of the secret is stored',
    async (t) => {
      const w = await signedIn();
      const { token, secret } = await w.tokens.create(w.session(), wanted);
      t.strictSame(token, {
        id: token.id,
        userId: w.ada.id,
        name: 'laptop',
        scopes: ['issue:read', 'admin:users'],
        createdAt: w.clock.now(),
        expiresAt: undefined,
        lastUsedAt: undefined,
      });
      t.strictSame(await w.reads(secret), {
        kind: 'user',
        id: w.ada.id,
        username: 'ada',
        isAdmin: false,
        credential: { kind: 'pat', id: token.id, scopes: ['issue:read', 'admin:users'] },
      });
      t.notMatch(JSON.stringify(w.entries), secret);
      t.match(w.entries.at(-1), {
        action: 'token.created',
        resource: `token:${token.id}`,
        details: { name: 'laptop', scopes: ['issue:read', 'admin:users'] },
      });
    },
  );

  await t.test('rejects an unknown scope, a bad name and an expiry in the past', async (t) => {
    const w = await signedIn();
    for (const scope of ['nothing', 'read:issue', '*', '', 'issue:read ']) {
      await t.rejects(
        w.tokens.create(w.session(), { ...wanted, scopes: [scope] }),
        { name: 'ValidationFailed', code: 'unknown_scope' },
        scope,
      );
    }
    for (const name of ['', '  ', 'two\nlines', 'x'.repeat(101), 'nul\0'])
      await t.rejects(w.tokens.create(w.session(), { ...wanted, name }), {
        name: 'ValidationFailed',
        detail: /^"name"/,
      });
    await t.rejects(w.tokens.create(w.session(), { ...wanted, expiresAt: w.clock.now() }), {
      name: 'ValidationFailed',
      detail: '"expires_at" is in the past',
    });
    t.equal((await w.tokens.list(w.session(), page)).total, 0);
  });

  await t.test('malformed tokens are rejected before any lookup', async (t) => {
    const w = await signedIn();
    const { secret } = await w.tokens.create(w.session(), wanted);
    const asked: string[] = [];
    const tokens: TokenStore = {
      ...w.parts.tokens,
      byHash: async (hash, now) => {
        asked.push(hash);
        return w.parts.tokens.byHash(hash, now);
      },
    };
    const { reader } = w.build({ tokens }).tokens;
    const altered = `${secret.slice(0, 10)}${secret[10] === 'a' ? 'b' : 'a'}${secret.slice(11)}`;
    for (const text of ['svc_', 'svc_x', altered, `${secret} `])
      t.equal(await reader.read(text, w.clock.now()), undefined);
    t.strictSame(asked, []);
    t.ok(await reader.read(secret, w.clock.now()));
    t.equal(asked.length, 1);
  });

  await t.test('a token ends at its expiry, at its revocation, and when its user is suspended', async (t) => {
    const w = await signedIn();
    const expiring = await w.tokens.create(w.session(), {
      ...wanted,
      expiresAt: new Date(w.clock.now().getTime() + 1000),
    });
    t.ok(await w.reads(expiring.secret));
    w.clock.advance(1000);
    t.equal(await w.reads(expiring.secret), undefined);

    const revoked = await w.tokens.create(w.session(), wanted);
    await w.tokens.revoke(w.session(), { id: revoked.token.id });
    t.equal(await w.reads(revoked.secret), undefined);
    await t.rejects(w.tokens.revoke(w.session(), { id: revoked.token.id }), { name: 'NotFound' });

    const live = await w.tokens.create(w.session(), wanted);
    await w.parts.unitOfWork.run(() => w.parts.accounts.update(w.ada.id, { status: 'suspended' }));
    t.equal(await w.reads(live.secret), undefined);
  });

  await t.test('a user can neither see nor revoke the tokens of another', async (t) => {
    const w = await signedIn();
    const { token, secret } = await w.tokens.create(w.session(), wanted);
    const eve = w.as(await w.account('eve'));
    t.equal((await w.tokens.list(eve, page)).total, 0);
    await t.rejects(w.tokens.revoke(eve, { id: token.id }), { name: 'NotFound' });
    t.ok(await w.reads(secret));
  });

  await t.test('a user has at most 1,000 tokens, and expired ones make room', async (t) => {
    const w = await signedIn();
    const soon = new Date(w.clock.now().getTime() + 1000);
    const kept = await w.tokens.create(w.session(), wanted);
    const expiring = await w.tokens.create(w.session(), { ...wanted, expiresAt: soon });
    await w.parts.unitOfWork.run(async () => {
      for (let count = 2; count < 1000; count += 1)
        await w.parts.tokens.insert({ ...kept.token, id: systemIds.uuid() }, `hash ${count}`);
    });
    const another = () => w.tokens.create(w.session(), wanted);
    await t.rejects(another(), { name: 'Unprocessable', detail: 'A user has at most 1000; delete one' });
    t.ok(await w.reads(expiring.secret));
    w.clock.advance(1000);
    t.ok(await w.reads((await another()).secret));
    t.equal((await w.tokens.list(w.session(), page)).total, 1000, 'the expired one was deleted');
    await t.rejects(another(), { name: 'Unprocessable' });
    await w.tokens.revoke(w.session(), { id: kept.token.id });
    t.ok(await w.reads((await another()).secret));
    const eve = await w.account('eve');
    const { accessToken } = await w.signIn('eve');
    const id = (await w.reads(accessToken))?.credential.id ?? '';
    t.ok((await w.tokens.create(w.as(eve, { id }), wanted)).secret, 'another user has room');
  });

  await t.test('a list is newest first, in pages', async (t) => {
    const w = await signedIn();
    for (const name of ['one', 'two', 'three']) {
      await w.tokens.create(w.session(), { ...wanted, name });
      w.clock.advance(1000);
    }
    const names = async (at: number) =>
      (await w.tokens.list(w.session(), { page: at, perPage: 2 })).items.map(({ name }) => name);
    t.strictSame([await names(1), await names(2), await names(3)], [['three', 'two'], ['one'], []]);
    t.match(await w.tokens.list(w.session(), { page: 2, perPage: 2 }), { total: 3, page: 2, perPage: 2 });
  });

  await t.test('the last use is recorded outside the request, at most once a minute', async (t) => {
    const w = await signedIn();
    const { secret } = await w.tokens.create(w.session(), wanted);
    const lastUsed = async () => (await w.tokens.list(w.session(), page)).items[0]?.lastUsedAt?.getTime();
    const start = w.clock.now().getTime();
    for (const [after, noted] of [
      [0, start],
      [59_999, start],
      [60_000, start + 60_000],
    ] as const) {
      w.clock.set(new Date(start + after));
      await Promise.all([w.reads(secret), w.reads(secret)]);
      await w.tokens.settled();
      t.equal(await lastUsed(), noted, `after ${after} ms`);
    }
  });

  await t.test('a failure to record the last use fails no request', async (t) => {
    const w = await signedIn();
    const { secret } = await w.tokens.create(w.session(), wanted);
    const warnings: string[] = [];
    const tokens: TokenStore = {
      ...w.parts.tokens,
      touch: async () => {
        throw new Error('down');
      },
    };
    const broken = w.build({
      tokens,
      log: {
        ...w.parts.log,
        warn: (_members, message) => {
          warnings.push(message);
        },
      },
    }).tokens;
    t.ok(await broken.reader.read(secret, w.clock.now()));
    await broken.settled();
    t.strictSame(warnings, ['the last use of a token could not be noted']);
  });

  await t.test('a token created while the session ends is rejected', async (t) => {
    const w = await signedIn();
    const call = w.session();
    const accounts: AccountStore = {
      ...w.parts.accounts,
      lock: async (id) => {
        await w.parts.sessions.endAll(id);
        return w.parts.accounts.lock(id);
      },
    };
    await t.rejects(w.build({ accounts }).tokens.create(call, wanted), { name: 'Unauthorized' });
    t.equal((await w.parts.tokens.list(w.ada.id, { limit: 10, offset: 0 })).total, 0);
  });
});
