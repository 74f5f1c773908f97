// Sign-in, refresh and sign-out, on in-memory stores.
import t from 'tap';
import { sha256Hasher } from '#adapters/crypto/session-tokens';
import { systemIds } from '#adapters/system/time';
import { RateLimited, Unauthorized } from '#core/kernel/errors';
import { fakeHasher, world } from './world.ts';

const wrong = { name: 'Unauthorized', message: 'The username or password is wrong', code: 'unauthorized' };
const stale = { name: 'Unauthorized', message: 'The refresh token is not valid' };

void t.test('sessions', async (t) => {
  await t.test('signing in returns a session token, accepts the name in any case, and records the time', async (t) => {
    const w = world();
    const ada = await w.account('Ada');
    t.equal(ada.lastActiveAt, undefined);
    const signed = await w.signIn('aDA', 'password of Ada');
    t.strictSame(signed.account, { ...ada, lastActiveAt: w.clock.now() });
    const caller = await w.reads(signed.accessToken);
    t.match(caller, {
      kind: 'user',
      id: ada.id,
      username: 'Ada',
      isAdmin: false,
      credential: { kind: 'session', scopes: 'all' },
    });
    t.strictSame((await w.parts.accounts.byId(ada.id))?.lastActiveAt, w.clock.now());
    t.strictSame(w.actions(), ['user.created', 'user.login']);
    t.match(w.entries[1], { actorId: ada.id, actorUsername: 'Ada', resource: `user:${ada.id}` });
  });

  await t.test('a wrong password and an unknown user get the same rejection for the same work', async (t) => {
    const w = world();
    await w.account('ada');
    await t.rejects(w.signIn('ada', 'password'), wrong);
    t.equal(w.hasher.calls, 1);
    await t.rejects(w.signIn('nobody', 'password'), wrong);
    t.equal(w.hasher.calls, 2);
    await t.rejects(w.signIn('not a name!', 'password'), wrong);
    t.equal(w.hasher.calls, 3);
    await t.rejects(w.signIn('ada@example.org', 'password of ada'), wrong, 'the e-mail address is not a username');
    t.strictSame(
      w.entries.slice(1).map(({ action, details }) => [action, details]),
      [
        ['user.login_failed', { surface: 'login', username: 'ada' }],
        ['user.login_failed', { surface: 'login', username: 'nobody' }],
        ['user.login_failed', { surface: 'login' }],
        ['user.login_failed', { surface: 'login' }],
      ],
    );
  });

  await t.test('an account that may not sign in gets the reason only after a right password', async (t) => {
    const w = world();
    w.settingValues['auth.require_email_verification'] = true;
    w.settingValues['signup.require_approval'] = true;
    const suspended = await w.account('suspended');
    await w.parts.unitOfWork.run(() => w.parts.accounts.update(suspended.id, { status: 'suspended' }));
    await w.account('unverified', { emailVerified: false });
    await w.account('pending', { approval: 'pending' });
    await w.account('rejected', { approval: 'rejected' });
    const cases = [
      ['suspended', 'account_suspended', 'user.login_blocked_suspended'],
      ['unverified', 'email_not_verified', 'user.login_blocked_email_not_verified'],
      ['pending', 'approval_pending', 'user.login_blocked_approval'],
      ['rejected', 'approval_rejected', 'user.login_blocked_approval'],
    ] as const;
    for (const [name, code, action] of cases) {
      await t.rejects(w.signIn(name, 'wrong password'), wrong, name);
      t.equal(w.actions().at(-1), 'user.login_failed');
      await t.rejects(w.signIn(name), { name: 'Forbidden', code }, name);
      t.equal(w.actions().at(-1), action);
    }
  });

  await t.test(
    'the eleventh attempt after ten failures in 15 minutes is throttled; a success clears them',
    async (t) => {
      const w = world();
      await w.account('ada');
      for (let time = 0; time < 9; time += 1) await t.rejects(w.signIn('ada', 'wrong'), wrong);
      await w.signIn('ada');
      for (let time = 0; time < 10; time += 1)
        await t.rejects(w.signIn(time % 2 === 0 ? 'ada' : 'ADA', 'wrong'), wrong);
      await t.rejects(w.signIn('ada'), { name: 'RateLimited', retryAfter: 900 });
      t.equal(w.actions().at(-1), 'user.login_throttled');
      await w.signIn('ada', undefined, '192.0.2.2');
      w.clock.advance(899_000);
      await t.rejects(w.signIn('ada'), { name: 'RateLimited', retryAfter: 1 });
      w.clock.advance(1000);
      await w.signIn('ada');
    },
  );

  await t.test('throttled attempts write one audit entry per window', async (t) => {
    const w = world();
    await w.account('ada');
    for (let time = 0; time < 10; time += 1) await t.rejects(w.signIn('ada', 'wrong'), wrong);
    const throttled = () => w.actions().filter((action) => action === 'user.login_throttled').length;
    const from = { ip: '192.0.2.1', now: w.clock.now() };
    for (let time = 0; time < 50; time += 1) {
      await t.rejects(w.signIn('ada', 'wrong'), { name: 'RateLimited' });
      await t.rejects(w.passwordSignIn.prove('ada', 'wrong', from), { name: 'RateLimited' });
    }
    t.equal(throttled(), 1);
    t.equal(w.hasher.calls, 10, 'they hash no password');
    w.clock.advance(900_000);
    for (let time = 0; time < 10; time += 1) await t.rejects(w.signIn('ada', 'wrong'), wrong);
    for (let time = 0; time < 3; time += 1) await t.rejects(w.signIn('ada', 'wrong'), { name: 'RateLimited' });
    t.equal(throttled(), 2, 'one more in the next window');
  });

  await t.test('unknown names are throttled in the same way', async (t) => {
    const w = world();
    for (let time = 0; time < 10; time += 1) await t.rejects(w.signIn('nobody', 'wrong'), wrong);
    await t.rejects(w.signIn('nobody', 'wrong'), { name: 'RateLimited' });
  });

  await t.test('of 30 concurrent wrong passwords 10 are checked', async (t) => {
    const w = world();
    await w.account('ada');
    const answers = await Promise.allSettled(Array.from({ length: 30 }, () => w.signIn('ada', 'wrong')));
    t.equal(
      answers.filter((answer) => answer.status === 'rejected' && answer.reason instanceof Unauthorized).length,
      10,
    );
    t.equal(
      answers.filter((answer) => answer.status === 'rejected' && answer.reason instanceof RateLimited).length,
      20,
    );
    t.equal(w.hasher.calls, 10);
  });

  await t.test('30 concurrent sign-ins: the 29 right passwords succeed next to a wrong one', async (t) => {
    const w = world();
    await w.account('ada');
    const answers = await Promise.allSettled(
      Array.from({ length: 30 }, (_, number) => w.signIn('ada', number === 12 ? 'wrong' : undefined)),
    );
    t.equal(answers.filter(({ status }) => status === 'fulfilled').length, 29);
  });

  await t.test('an attempt that could not be checked counts neither as success nor as failure', async (t) => {
    const w = world();
    await w.account('ada');
    const busy = fakeHasher();
    busy.verify = async () => {
      throw new Error('busy');
    };
    const { sessions } = w.build({ passwordHasher: busy });
    for (let time = 0; time < 20; time += 1)
      await t.rejects(sessions.signIn(w.call(), { username: 'ada', password: 'x' }), { message: 'busy' });
    t.ok(await w.signIn('ada'));
  });

  await t.test('a hash with old parameters is renewed at sign-in', async (t) => {
    const w = world();
    const ada = await w.account('ada');
    const renewed = w.build({ passwordHasher: fakeHasher(2) });
    await renewed.sessions.signIn(w.call(), { username: 'ada', password: 'password of ada' });
    t.equal((await w.parts.accounts.secured('ada'))?.passwordHash, 'v2:password of ada');
    t.equal((await w.parts.accounts.byId(ada.id))?.username, 'ada');
  });

  await t.test('a password changed while the old one is checked signs nobody in', async (t) => {
    const w = world();
    const ada = await w.account('ada');
    const slow = fakeHasher();
    const verify = slow.verify.bind(slow);
    slow.verify = async (password, hash) => {
      await w.parts.unitOfWork.run(() => w.parts.accounts.update(ada.id, { passwordHash: 'v1:another' }));
      return verify(password, hash);
    };
    await t.rejects(
      w.build({ passwordHasher: slow }).sessions.signIn(w.call(), { username: 'ada', password: 'password of ada' }),
      wrong,
    );
  });

  await t.test(
    'a session token expires after 15 minutes, and a refresh returns the next one of the same session',
    async (t) => {
      const w = world();
      await w.account('ada');
      const first = await w.signIn('ada');
      const before = await w.reads(first.accessToken);
      w.clock.advance(900_000);
      t.equal(await w.reads(first.accessToken), undefined);
      const second = await w.sessions.refresh(w.call(), { refreshToken: first.refreshToken });
      t.not(second.refreshToken, first.refreshToken);
      t.equal((await w.reads(second.accessToken))?.credential.id, before?.credential.id ?? null);
    },
  );

  await t.test('a rotated refresh token that is used again revokes its family', async (t) => {
    const w = world();
    await w.account('ada');
    const first = await w.signIn('ada');
    const other = await w.signIn('ada');
    const second = await w.sessions.refresh(w.call(), { refreshToken: first.refreshToken });
    await t.rejects(w.sessions.refresh(w.call(), { refreshToken: first.refreshToken }), stale);
    t.equal(w.actions().at(-1), 'session.refresh_token_reused');
    await t.rejects(w.sessions.refresh(w.call(), { refreshToken: second.refreshToken }), stale);
    t.equal(await w.reads(second.accessToken), undefined);
    t.ok(await w.reads(other.accessToken), 'another session of the user remains valid');
  });

  await t.test('a refresh token remains valid if no session token could be issued', async (t) => {
    const w = world();
    await w.account('ada');
    const { refreshToken } = await w.signIn('ada');
    const issue = async (): Promise<never> => {
      throw new Error('away');
    };
    const { sessions } = w.build({ sessionTokens: { ...w.parts.sessionTokens, issue } });
    await t.rejects(sessions.refresh(w.call(), { refreshToken }), { message: 'away' });
    t.ok(await w.sessions.refresh(w.call(), { refreshToken }));
  });

  await t.test('two concurrent refreshes with one token: one succeeds, and the family is revoked', async (t) => {
    const w = world();
    await w.account('ada');
    const { refreshToken, accessToken } = await w.signIn('ada');
    const answers = await Promise.allSettled([
      w.sessions.refresh(w.call(), { refreshToken }),
      w.sessions.refresh(w.call(), { refreshToken }),
    ]);
    t.strictSame(answers.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    t.equal(await w.reads(accessToken), undefined);
  });

  await t.test('a refresh token expires 30 days after its last use, and malformed ones are rejected', async (t) => {
    const w = world();
    await w.account('ada');
    const first = await w.signIn('ada');
    w.clock.advance(29 * 86_400_000);
    const second = await w.sessions.refresh(w.call(), { refreshToken: first.refreshToken });
    w.clock.advance(30 * 86_400_000);
    await t.rejects(w.sessions.refresh(w.call(), { refreshToken: second.refreshToken }), stale);
    for (const text of [undefined, '', 'x', 'x'.repeat(43), first.accessToken])
      await t.rejects(w.sessions.refresh(w.call(), { refreshToken: text }), stale);
    await w.pruneSessions();
    t.equal(await w.parts.sessions.byRefreshToken(sha256Hasher.hash(second.refreshToken)), undefined);
  });

  await t.test(
    'a user has at most 1,000 sessions: the least recently refreshed is deleted for a new one',
    async (t) => {
      const w = world();
      const ada = await w.account('ada');
      const eve = await w.account('eve');
      const [first, second, other] = [await w.signIn('ada'), await w.signIn('ada'), await w.signIn('eve')];
      await w.parts.unitOfWork.run(async () => {
        for (let count = 2; count < 1000; count += 1)
          await w.parts.sessions.insert({
            id: systemIds.uuid(),
            userId: ada.id,
            createdAt: w.clock.now(),
            expiresAt: new Date(w.clock.now().getTime() + 31 * 86_400_000),
            ip: '',
            userAgent: '',
          });
      });
      w.clock.advance(1000);
      const refreshed = await w.sessions.refresh(w.call(), { refreshToken: first.refreshToken });
      const last = await w.signIn('ada');
      t.match(w.entries.at(-1), { action: 'user.login', details: { sessions_ended: 1 } });
      t.equal(await w.reads(second.accessToken), undefined);
      for (const { accessToken } of [refreshed, last]) t.match(await w.reads(accessToken), { id: ada.id });
      t.match(await w.reads(other.accessToken), { id: eve.id });
      t.equal(await w.parts.unitOfWork.run(() => w.parts.sessions.endAll(ada.id)), 1000);
    },
  );

  await t.test('a session that ends during a refresh is not refreshed', async (t) => {
    const w = world();
    await w.account('ada');
    const { refreshToken } = await w.signIn('ada');
    const { sessions: useCases } = w.build({
      sessions: {
        ...w.parts.sessions,
        useRefreshToken: async (hash, now) => {
          const used = await w.parts.sessions.useRefreshToken(hash, now);
          await w.parts.sessions.end(used?.sessionId ?? '');
          return used;
        },
      },
    });
    await t.rejects(useCases.refresh(w.call(), { refreshToken }), stale);
  });

  await t.test('a used refresh token is recognized until its own expiry', async (t) => {
    const w = world();
    await w.account('ada');
    const first = await w.signIn('ada');
    const family = () => w.parts.sessions.byRefreshToken(sha256Hasher.hash(first.refreshToken));
    let { refreshToken } = first;
    for (const days of [29, 1]) {
      t.ok(await family());
      w.clock.advance(days * 86_400_000 - (days === 1 ? 1 : 0));
      ({ refreshToken } = await w.sessions.refresh(w.call(), { refreshToken }));
      await w.pruneSessions();
    }
    t.ok(await family());
    w.clock.advance(1);
    await w.pruneSessions();
    t.equal(await family(), undefined);
    t.ok((await w.sessions.refresh(w.call(), { refreshToken })).accessToken, 'the session remains valid');
  });

  await t.test('a refresh token of a suspended user is rejected', async (t) => {
    const w = world();
    const ada = await w.account('ada');
    const { refreshToken } = await w.signIn('ada');
    await w.parts.unitOfWork.run(() => w.parts.accounts.update(ada.id, { status: 'suspended' }));
    await t.rejects(w.sessions.refresh(w.call(), { refreshToken }), stale);
  });

  await t.test(
    'signing out ends the session of the bearer token, of the access cookie or of the refresh cookie',
    async (t) => {
      const w = world();
      const ada = await w.account('ada');
      const none = { access: undefined, refresh: undefined };
      const byBearer = await w.signIn('ada');
      const caller = await w.reads(byBearer.accessToken);
      await w.sessions.signOut(w.as(ada, { id: caller?.credential.id ?? '' }), none);
      t.equal(await w.reads(byBearer.accessToken), undefined);
      t.equal(w.actions().at(-1), 'user.logout');

      const byAccess = await w.signIn('ada');
      await w.sessions.signOut(w.call(), { access: byAccess.accessToken, refresh: undefined });
      t.equal(await w.reads(byAccess.accessToken), undefined);

      const byRefresh = await w.signIn('ada');
      await w.sessions.signOut(w.call(), { access: 'expired', refresh: byRefresh.refreshToken });
      t.equal(await w.reads(byRefresh.accessToken), undefined);
      await t.rejects(w.sessions.refresh(w.call(), { refreshToken: byRefresh.refreshToken }), stale);

      await w.sessions.signOut(w.call(), { access: byAccess.accessToken, refresh: byRefresh.refreshToken });
      await t.rejects(w.sessions.signOut(w.call(), none), { name: 'Unauthorized' });
      await t.rejects(w.sessions.signOut(w.as(ada, { kind: 'pat' }), none), { name: 'Forbidden' });
    },
  );

  await t.test('Basic passwords have the same checks and throttling', async (t) => {
    const w = world();
    const ada = await w.account('ada', { isAdmin: true });
    const from = { ip: '192.0.2.9', now: w.clock.now() };
    const known = { kind: 'user', id: ada.id, username: 'ada', isAdmin: true };
    const { unchanged, ...proved } = (await w.passwordSignIn.prove('ADA', 'password of ada', from)) ?? {};
    t.strictSame(proved, known);
    t.strictSame(await unchanged?.(w.clock.now()), known);
    t.equal(await w.passwordSignIn.prove('ada', 'wrong', from), undefined);
    t.match(w.entries.at(-1), {
      action: 'user.login_failed',
      ip: '192.0.2.9',
      details: { surface: 'basic', username: 'ada' },
    });
    for (let time = 0; time < 9; time += 1) await w.passwordSignIn.prove('ada', 'wrong', from);
    await t.rejects(w.passwordSignIn.prove('ada', 'password of ada', from), { name: 'RateLimited' });
  });

  await t.test('12. the lookup of a session runs for the user in its signed token, not for the address', async (t) => {
    const { build, parts, account, call } = world();
    const ada = await account('Ada');
    const asked: (string | undefined)[] = [];
    const { sessions } = build({
      sessions: {
        ...parts.sessions,
        owner: async (...of) => {
          asked.push(parts.currentCaller.key());
          return parts.sessions.owner(...of);
        },
      },
    });
    const { accessToken } = await sessions.signIn(call(), { username: 'Ada', password: 'password of Ada' });
    const now = call().now;
    const read = (token: string): Promise<unknown> =>
      parts.currentCaller.run('address:192.0.2.1', () => sessions.reader.read(token, now));
    t.match(await read(accessToken), { id: ada.id });
    t.equal(await read(`${accessToken}x`), undefined);
    t.strictSame(asked, [`user:${ada.id}`]);
  });

  await t.test('a session recheck succeeds after its token expired, and fails after the session ended', async (t) => {
    const w = world();
    await w.account('ada');
    const { accessToken } = await w.signIn('ada');
    const proved = await w.reads(accessToken);
    w.clock.advance(20 * 60_000);
    t.equal(await w.reads(accessToken), undefined);
    t.match(await proved?.unchanged?.(w.clock.now()), { username: 'ada', credential: { kind: 'session' } });
    await w.storage.unitOfWork.run(() => w.parts.sessions.end(proved?.credential.id ?? ''));
    t.equal(await proved?.unchanged?.(w.clock.now()), undefined);
  });

  await t.test('pages extend a session once a minute, and never one that has ended', async (t) => {
    const w = world();
    await w.account('ada');
    const { pageToken, accessToken } = await w.signIn('ada');
    let extensions = 0;
    const { sessions } = w.build({
      sessions: {
        ...w.parts.sessions,
        extend: async (id, expiresAt) => {
          extensions += 1;
          return w.parts.sessions.extend(id, expiresAt);
        },
      },
    });
    const renewed = async (seconds: number): Promise<boolean> => {
      w.clock.advance(seconds * 1000);
      return (await sessions.pages.renew(pageToken, w.clock.now())) !== undefined;
    };
    t.strictSame([await renewed(0), await renewed(1), await renewed(58)], [true, true, true]);
    t.equal(extensions, 1);
    t.ok(await renewed(1));
    t.equal(extensions, 2);
    const proved = await w.reads(accessToken);
    await w.storage.unitOfWork.run(() => w.parts.sessions.end(proved?.credential.id ?? ''));
    t.notOk(await renewed(1));
  });

  await t.test('a recheck of a password detects changes without another hash', async (t) => {
    for (const change of [{ status: 'suspended' }, { passwordHash: 'another' }] as const) {
      const w = world();
      const ada = await w.account('ada');
      const from = { ip: '192.0.2.9', now: w.clock.now() };
      const proved = await w.passwordSignIn.prove('ada', 'password of ada', from);
      const { calls } = w.hasher;
      t.match(await proved?.unchanged?.(w.clock.now()), { id: ada.id });
      await w.parts.unitOfWork.run(() => w.parts.accounts.update(ada.id, change));
      t.equal(await proved?.unchanged?.(w.clock.now()), undefined);
      t.equal(w.hasher.calls, calls);
    }
  });
});
