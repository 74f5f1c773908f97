// Sign-in with a password known to a directory, for sessions and for git, on in-memory stores.
import t from 'tap';
import { systemIds } from '#adapters/system/time';
import { mintToken, tokenFormat } from '#core/identity/model/access-token';
import { authenticator } from '#core/kernel/access/credentials';
import { Unavailable } from '#core/kernel/errors';
import type { DirectoryUser } from '#core/kernel/access/password-directories';
import { directoriesOf, fakeHasher, world } from './world.ts';

const wrong = { name: 'Unauthorized', message: 'The username or password is wrong' };
const down = (): Unavailable => new Unavailable('The password directory "corp" is not available');

/**
 * The accounts, with a directory `corp` that accepts the password "directory" for every name and returns `user(name)`.
 */
function company(user: (username: string) => DirectoryUser = (username) => ({ username })) {
  const w = world();
  const asked: string[] = [];
  const state = { down: false };
  const directories = directoriesOf(async (username, password) => {
    asked.push(username);
    if (state.down) throw down();
    return password === 'directory' ? { directory: 'corp', user: user(username) } : undefined;
  });
  const { sessions, passwordSignIn } = w.build({ directories });
  const login = (username: string, password = 'directory', ip?: string) =>
    sessions.signIn(w.call(ip), { username, password });
  const basic = (username: string, password = 'directory', ip = '192.0.2.1') =>
    passwordSignIn.prove(username, password, { ip, now: w.clock.now() });
  return { ...w, asked, state, login, basic, passwordSignIn };
}

void t.test(
  'a directory user is signed in to the account with that name in any case, with its administrator flag',
  async (t) => {
    const w = company();
    const root = await w.account('Root', { isAdmin: true });
    const ada = await w.account('ada');
    t.match(await w.login('rOOT'), { account: { id: root.id, username: 'Root', isAdmin: true } });
    t.match(await w.basic('rOOT'), { id: root.id, username: 'Root', isAdmin: true });
    t.match(await w.login('ada'), { account: { id: ada.id, isAdmin: false } });
    t.match(await w.basic('ada'), { id: ada.id, isAdmin: false });
    t.match(
      w.entries.filter(({ action }) => action === 'user.login').map(({ details, actorId }) => [actorId, details]),
      [
        [root.id, { session_id: String, directory: 'corp' }],
        [ada.id, { session_id: String, directory: 'corp' }],
      ],
      'the audit log names the directory',
    );
  },
);

void t.test("the account's own password is checked first, and no directory is queried", async (t) => {
  const w = company();
  await w.account('ada');
  await w.login('ada', 'password of ada');
  await w.basic('ada', 'password of ada');
  t.strictSame(w.asked, []);
  t.strictSame(
    Object.keys(w.entries.find(({ action }) => action === 'user.login')?.details ?? {}),
    ['session_id'],
    'no directory is named',
  );
  w.state.down = true;
  t.ok(await w.login('ada', 'password of ada'), 'a directory that is down does not prevent it');
});

void t.test('a directory may return another name than the one of the account', async (t) => {
  const w = company(() => ({ username: 'ADA', displayName: 'Ada', email: 'elsewhere@example.org' }));
  const ada = await w.account('ada');
  t.match(await w.login('ada@corp.example'), { account: { ...ada, lastActiveAt: w.clock.now() } });
});

void t.test(
  'an account that may not sign in may not sign in through a directory either, which is logged',
  async (t) => {
    const w = company();
    w.settingValues['auth.require_email_verification'] = true;
    w.settingValues['signup.require_approval'] = true;
    const suspended = await w.account('suspended', { isAdmin: true });
    await w.parts.unitOfWork.run(() => w.parts.accounts.update(suspended.id, { status: 'suspended' }));
    await w.account('unverified', { emailVerified: false });
    await w.account('pending', { approval: 'pending' });
    await w.account('rejected', { approval: 'rejected' });
    const cases = [
      ['suspended', 'account_suspended', 'user.login_blocked_suspended'],
      ['unverified', 'email_not_verified', 'user.login_blocked_email_not_verified'],
      ['pending', 'approval_pending', 'user.login_blocked_approval'],
      ['rejected', 'approval_rejected', 'user.login_blocked_approval'],
      ['nobody', 'account_unknown', 'user.login_blocked_account_unknown'],
    ] as const;
    for (const [name, code, action] of cases) {
      await t.rejects(w.login(name), { name: 'Forbidden', code }, name);
      t.match(w.entries.at(-1), { action, details: { surface: 'login', username: name, directory: 'corp' } });
      await t.rejects(w.basic(name), { name: 'Forbidden', code }, `${name}, Basic`);
      t.match(w.entries.at(-1), { action, details: { surface: 'basic', username: name, directory: 'corp' } });
      await t.rejects(w.login(name, 'wrong'), wrong, `${name}: only after a right password`);
    }
  },
);

void t.test('a directory name that is not a valid username is an unknown account', async (t) => {
  for (const username of ['', '../ada', 'ada\0', 'x'.repeat(300), '__proto__'])
    await t.rejects(company(() => ({ username })).login('ada'), { code: 'account_unknown' }, JSON.stringify(username));
});

void t.test('a directory user with a subject is not matched to an account by name or address', async (t) => {
  const w = company((username) => ({ username, subject: `uuid-${username}`, email: 'ADA@example.org' }));
  const ada = await w.account('ada', { isAdmin: true });
  for (const [name, id] of [
    ['ada', ada.id],
    ['ada-of-corp', ada.id],
  ] as const) {
    await t.rejects(w.login(name), { name: 'Forbidden', code: 'account_exists' }, name);
    t.match(w.entries.at(-1), { action: 'user.login_blocked_account_exists', resource: `user:${id}` });
    await t.rejects(w.basic(name), { name: 'Forbidden', code: 'account_exists' });
  }
  const other = company((username) => ({ username, subject: 'uuid' }));
  other.settingValues['auth.auto_create'] = false;
  await t.rejects(other.login('eve'), { name: 'Forbidden', code: 'account_unknown' });
  t.equal(await other.parts.accounts.byUsername('eve'), undefined);
});

void t.test('successful sign-ins clear earlier failures and count as none', async (t) => {
  const w = company();
  await w.account('ada');
  for (let time = 0; time < 9; time += 1) await t.rejects(w.login('ada', 'wrong'), wrong);
  for (let time = 0; time < 15; time += 1) {
    t.ok(await w.login('ada'));
    t.ok(await w.basic('ada'));
  }
  t.notOk(w.actions().slice(10).includes('user.login_failed'));
  for (let time = 0; time < 9; time += 1) t.equal(await w.basic('ada', 'wrong'), undefined);
  t.ok(await w.login('ada'), 'earlier failures are cleared');
});

void t.test(
  'ten failures for one name and address throttle every password, for sessions and git together',
  async (t) => {
    const w = company();
    await w.account('ada');
    for (let time = 0; time < 5; time += 1) {
      await t.rejects(w.login('ada', 'wrong'), wrong);
      t.equal(await w.basic(time < 3 ? 'ADA' : 'ａdA', 'wrong'), undefined);
    }
    const asked = w.asked.length;
    for (const password of ['directory', 'password of ada', 'wrong']) {
      await t.rejects(w.login('ada', password), { name: 'RateLimited', retryAfter: 900 });
      await t.rejects(w.basic('ada', password), { name: 'RateLimited' });
    }
    t.equal(w.asked.length, asked, 'no directory is queried');
    t.equal(w.actions().filter((action) => action === 'user.login_throttled').length, 1);
    t.ok(await w.login('ada', 'directory', '192.0.2.2'));
  },
);

void t.test('with git passwords disabled no password is hashed, and earlier proofs are invalid', async (t) => {
  const w = company();
  await w.account('ada');
  const proved = await w.basic('ada', 'password of ada');
  t.match(await proved?.unchanged?.(w.clock.now()), { username: 'ada' });
  w.settingValues['git.password_auth'] = false;
  t.equal(await proved?.unchanged?.(w.clock.now()), undefined);
  const { calls } = w.hasher;
  for (const password of ['password of ada', 'wrong', 'directory'])
    await t.rejects(w.basic('ada', password), {
      name: 'Unauthorized',
      message: /Passwords are not accepted for git/,
    });
  t.strictSame([w.hasher.calls, w.asked], [calls, []]);
  t.match(await w.login('ada', 'password of ada'), { account: { username: 'ada' } }, 'sessions are not affected');
});

void t.test('an expired token sent as a password is neither counted nor sent to a directory', async (t) => {
  const w = company();
  await w.account('ada');
  const oauth = tokenFormat('svc_oat_');
  const changed = (token: string): string => token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a');
  const session = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl';
  for (const token of [mintToken(systemIds), oauth.mint(systemIds), session])
    for (let time = 0; time < 11; time += 1) t.equal(await w.basic('ada', token), undefined);
  t.strictSame([w.asked, w.entries.filter(({ action }) => action === 'user.login_failed')], [[], []]);
  t.match(await w.basic('ada', 'password of ada'), { username: 'ada' }, 'the password is not throttled');
  // A password may look like a token, but without its checksum.
  const alike = [
    changed(mintToken(systemIds)),
    changed(oauth.mint(systemIds)),
    'svc_backup',
    'eyJust a password',
    'eyJ.a',
  ];
  for (const password of alike) await w.basic('ada', password);
  t.equal(w.asked.length, alike.length);
});

void t.test('an unknown name costs the same work as a wrong password', async (t) => {
  const w = company();
  await w.account('ada');
  for (const attempt of [w.login, w.basic]) {
    for (const name of ['ada', 'nobody', 'no name!']) {
      const before = [w.hasher.calls, w.asked.length] as const;
      await attempt(name, 'wrong').catch(() => undefined);
      t.strictSame([w.hasher.calls, w.asked.length], [before[0] + 1, before[1] + 1], name);
    }
  }
});

void t.test('a directory that is down is 503, signs nobody in and allows no guessing', async (t) => {
  const w = company();
  w.state.down = true;
  for (let time = 0; time < 5; time += 1) {
    await t.rejects(w.login('nobody'), { name: 'Unavailable', message: /directory "corp"/ });
    t.match(w.entries.at(-1), { action: 'user.login_failed', details: { unavailable: /corp/ } });
    await t.rejects(w.basic('nobody', 'password'), { name: 'Unavailable' });
  }
  await t.rejects(w.login('nobody'), { name: 'RateLimited' });
});

void t.test('a wrong password of an account with a password is 401 while a directory is down', async (t) => {
  const w = company();
  await w.account('ada');
  w.state.down = true;
  for (let time = 0; time < 5; time += 1) {
    await t.rejects(w.login('ada'), wrong);
    t.match(w.entries.at(-1), { action: 'user.login_failed', details: { unavailable: /corp/ } });
    t.equal(await w.basic('ada', 'password'), undefined);
  }
  await t.rejects(w.login('ada'), { name: 'RateLimited' });
});

void t.test('an internal error of a directory counts neither as success nor as failure', async (t) => {
  const w = company();
  await w.account('ada');
  const { sessions } = w.build({
    directories: directoriesOf(async () => {
      throw new TypeError('broken');
    }),
  });
  for (let time = 0; time < 12; time += 1)
    await t.rejects(sessions.signIn(w.call(), { username: 'ada', password: 'x' }), { message: 'broken' });
  t.ok(await w.login('ada', 'password of ada'));
});

void t.test('an account suspended during the directory query is not signed in', async (t) => {
  const w = company();
  const ada = await w.account('ada');
  const suspending = (): ReturnType<typeof w.build> =>
    w.build({
      directories: directoriesOf(async (username) => {
        await w.parts.unitOfWork.run(() => w.parts.accounts.update(ada.id, { status: 'suspended' }));
        return { directory: 'corp', user: { username } };
      }),
    });
  await t.rejects(suspending().sessions.signIn(w.call(), { username: 'ada', password: 'x' }), {
    code: 'account_suspended',
  });
});

void t.test("a sign-in through a directory does not rehash the account's own password", async (t) => {
  const w = company();
  await w.account('ada');
  const { sessions } = w.build({
    passwordHasher: fakeHasher(2),
    directories: directoriesOf(async (username) => ({ directory: 'corp', user: { username } })),
  });
  await sessions.signIn(w.call(), { username: 'ada', password: 'directory' });
  t.equal((await w.parts.accounts.secured('ada'))?.passwordHash, 'v1:password of ada');
});

void t.test('an access recheck reads the account again and does not query the directory', async (t) => {
  const w = company();
  const ada = await w.account('ada', { isAdmin: true });
  const door = authenticator({ readers: () => [], passwordSignIn: () => w.passwordSignIn });
  const presented = { via: 'basic', username: 'ada', password: 'directory' } as const;
  const context = { ip: '192.0.2.1', now: w.clock.now(), passwords: async () => undefined };
  const change = (patch: Parameters<typeof w.parts.accounts.update>[1]) =>
    w.parts.unitOfWork.run(() => w.parts.accounts.update(ada.id, patch));

  const user = await door.authenticate(presented, context);
  w.state.down = true;
  const { calls } = w.hasher;
  for (let time = 0; time < 20; time += 1) t.strictSame(await door.renew(user, presented, context), user);
  await change({ passwordHash: 'v1:another' });
  t.strictSame(await door.renew(user, presented, context), user, "the account's own password was not used");
  await change({ isAdmin: false });
  t.equal((await door.renew(user, presented, context)).isAdmin, false, 'the flag is read from the account');
  t.strictSame(w.asked, ['ada']);
  t.equal(w.hasher.calls, calls);

  w.state.down = false;
  await change({ status: 'suspended' });
  await t.rejects(door.renew(user, presented, context), { name: 'Forbidden', code: 'account_suspended' });
  await w.parts.unitOfWork.run(() => w.parts.accounts.delete(ada.id));
  await t.rejects(door.renew(user, presented, context), { name: 'Forbidden', code: 'account_unknown' });
});
