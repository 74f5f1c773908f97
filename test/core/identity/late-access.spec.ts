// Access rechecks after a password hash, which may wait for a slot: the change needs access after the hash.
import t from 'tap';
import type { AccountPatch } from '#core/identity/index';
import { accessDecision, admin, session } from '#core/kernel/access/access';
import type { AccessRule } from '#core/kernel/access/access';
import type { Call, User } from '#core/kernel/caller';
import { Unauthorized } from '#core/kernel/errors';
import { fakeHasher, world } from './world.ts';

/** The accounts, with a hasher that waits for `meanwhile` before each hash. */
function slow() {
  const w = world();
  let meanwhile = (): Promise<unknown> => Promise.resolve();
  const hasher = fakeHasher();
  const waiting = {
    hash: async (password: string) => {
      await meanwhile();
      return hasher.hash(password);
    },
    verify: async (password: string, hash: string | undefined) => {
      const right = await hasher.verify(password, hash);
      await meanwhile();
      return right;
    },
    outdated: hasher.outdated,
  };
  const access = accessDecision({
    scopes: w.parts.scopes,
    adminGrants: () => undefined,
    isPermission: () => true,
    resolvers: () => [],
  });
  const useCases = w.build({ passwordHasher: waiting, access });
  /** The call of a signed-in user, allowed by a rule, whose hash then waits until `event` has happened. */
  const letIn = async (username: string, rule: AccessRule, event: () => Promise<unknown>): Promise<Call<User>> => {
    const { accessToken } = await w.signIn(username);
    const at = async (): Promise<Call<User>> => {
      const found = await w.reads(accessToken);
      if (found === undefined) throw new Unauthorized('The credential is not valid');
      const { credential, ...account } = found;
      return { ...w.as(account, { ...credential, via: 'bearer' }), renew: at };
    };
    const call = await at();
    await access.decide(call, rule, undefined, {});
    meanwhile = event;
    return call;
  };
  const change = (id: string, patch: AccountPatch): Promise<unknown> =>
    w.parts.unitOfWork.run(() => w.parts.accounts.update(id, patch));
  const after = (event: () => Promise<unknown>): void => {
    meanwhile = event;
  };
  return { ...w, slow: useCases, letIn, after, change };
}

const rule = admin('admin:users');
const backdoor = { username: 'backdoor', email: 'b@example.org', password: 'password', displayName: '', isAdmin: true };

void t.test('an administrator suspended during the hash creates no user and sets no password', async (t) => {
  const w = slow();
  const root = await w.account('root', { isAdmin: true });
  const mallory = await w.account('mallory', { isAdmin: true });
  const victim = await w.account('victim');
  const suspend = () => w.administration.update(w.as(root), { id: mallory.id, status: 'suspended' });
  const again = () => w.administration.update(w.as(root), { id: mallory.id, status: 'active' });

  const making = await w.letIn('mallory', rule, suspend);
  await t.rejects(w.slow.administration.create(making, backdoor), { name: 'Unauthorized' });
  t.equal(await w.parts.accounts.byUsername('backdoor'), undefined);
  await again();
  const setting = await w.letIn('mallory', rule, suspend);
  await t.rejects(w.slow.administration.setPassword(setting, { id: victim.id, password: 'taken over' }), {
    name: 'Unauthorized',
  });
  t.ok(await w.signIn('victim'), 'the password is unchanged');
});

void t.test('an administrator demoted during the hash gets 403', async (t) => {
  const w = slow();
  const mallory = await w.account('mallory', { isAdmin: true });
  const victim = await w.account('victim');
  const demote = () => w.change(mallory.id, { isAdmin: false });
  const making = await w.letIn('mallory', rule, demote);
  await t.rejects(w.slow.administration.create(making, { ...backdoor, isAdmin: false }), { name: 'Forbidden' });
  await w.change(mallory.id, { isAdmin: true });
  const setting = await w.letIn('mallory', rule, demote);
  await t.rejects(w.slow.administration.setPassword(setting, { id: victim.id, password: 'taken over' }), {
    name: 'Forbidden',
  });
});

void t.test(
  'a caller who keeps the scope but loses administrator rights can neither change nor create an administrator',
  async (t) => {
    const w = slow();
    const root = await w.account('root', { isAdmin: true });
    const mallory = await w.account('mallory', { isAdmin: true });
    const demote = () => w.change(mallory.id, { isAdmin: false });
    const making = await w.letIn('mallory', session, demote);
    await t.rejects(w.slow.administration.create(making, backdoor), { name: 'Forbidden', message: /make another/ });
    await w.change(mallory.id, { isAdmin: true });
    const setting = await w.letIn('mallory', session, demote);
    await t.rejects(w.slow.administration.setPassword(setting, { id: root.id, password: 'taken over' }), {
      name: 'Forbidden',
      message: /may change an instance administrator/,
    });
  },
);

void t.test('a session that ends during the hash changes no password', async (t) => {
  const w = slow();
  await w.account('ada');
  const call: Call<User> = await w.letIn('ada', session, () => w.parts.sessions.end(call.caller.credential.id));
  await t.rejects(w.slow.profiles.changePassword(call, { current: 'password of ada', next: 'another one' }), {
    name: 'Unauthorized',
  });
  t.ok(await w.signIn('ada'));
});

void t.test('a registration follows the settings after the hash', async (t) => {
  const w = slow();
  const registration = { username: 'ada', email: 'ada@example.org', password: 'password', displayName: '' };
  w.settingValues['signup.enabled'] = true;
  w.after(async () => (w.settingValues['signup.require_approval'] = true));
  t.equal((await w.slow.profiles.register(w.call(), registration)).approval, 'pending');
  w.after(async () => (w.settingValues['signup.enabled'] = false));
  const eve = { ...registration, username: 'eve', email: 'eve@example.org' };
  await t.rejects(w.slow.profiles.register(w.call(), eve), { name: 'Forbidden', code: 'signup_disabled' });
  t.equal(await w.parts.accounts.byUsername('eve'), undefined);
});

void t.test('a right password authenticates the account in its state after the hash', async (t) => {
  const w = slow();
  const eve = await w.account('eve');
  const from = { ip: '192.0.2.1', now: w.clock.now() };
  const git = () => w.slow.passwordSignIn.prove('eve', 'password of eve', from);
  const login = () => w.slow.sessions.signIn(w.call(), { username: 'eve', password: 'password of eve' });

  w.after(() => w.change(eve.id, { isAdmin: true }));
  t.match(await git(), { id: eve.id, isAdmin: true });
  for (const prove of [git, login] as readonly (() => Promise<unknown>)[]) {
    await w.change(eve.id, { status: 'active' });
    w.after(() => w.change(eve.id, { status: 'suspended' }));
    await t.rejects(prove(), { name: 'Forbidden', code: 'account_suspended' });
  }
  await w.change(eve.id, { status: 'active' });
  w.after(() => w.change(eve.id, { passwordHash: 'v1:another' }));
  t.equal(await git(), undefined, 'a changed password is wrong');
});

void t.test('a wrong password reads as much for an existing account as for an unknown name', async (t) => {
  const w = slow();
  await w.account('ada');
  let reads = 0;
  const { accounts } = w.parts;
  const counted = {
    ...accounts,
    secured: (name: string) => {
      reads += 1;
      return accounts.secured(name);
    },
  };
  const { passwordSignIn } = w.build({ accounts: counted });
  for (const name of ['ada', 'nobody']) {
    reads = 0;
    t.equal(await passwordSignIn.prove(name, 'wrong', { ip: '192.0.2.1', now: w.clock.now() }), undefined);
    t.equal(reads, 1, name);
  }
});

void t.test('a name is truncated before it is normalized, so marks beyond the limit have no effect', async (t) => {
  const w = slow();
  const long = `a${'\u0301'.repeat(300)}`;
  const git = (name: string) => w.passwordSignIn.prove(name, 'wrong', { ip: '192.0.2.1', now: w.clock.now() });
  // Normalization would move the dot below to the front.
  for (let time = 0; time < 5; time += 1)
    for (const name of [long, `${long}\u0323`]) t.equal(await git(name), undefined);
  await t.rejects(git(long), { name: 'RateLimited' });
});
