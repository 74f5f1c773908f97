// User administration, the first administrator and account recovery, on in-memory stores.
import t from 'tap';
import type { AccountStore } from '#core/identity/index';
import { StillReferenced } from '#core/kernel/errors';
import { world } from './world.ts';

async function governed() {
  const w = world();
  const root = await w.account('root', { isAdmin: true });
  const ada = await w.account('ada');
  return { ...w, root, ada, admin: () => w.as(root), delegate: w.as(await w.account('delegate')) };
}
const body = { username: 'neo', email: 'new@example.org', password: 'password', displayName: '', isAdmin: false };

void t.test('administration', async (t) => {
  await t.test('creates accounts; a taken name or address in any case is a conflict', async (t) => {
    const w = await governed();
    const made = await w.administration.create(w.admin(), body);
    t.match(made, {
      username: 'neo',
      status: 'active',
      emailVerified: true,
      approval: undefined,
      lastActiveAt: undefined,
    });
    await t.rejects(w.administration.create(w.admin(), { ...body, username: 'NEO', email: 'other@example.org' }), {
      name: 'Conflict',
      message: 'The username is taken',
    });
    await t.rejects(w.administration.create(w.admin(), { ...body, username: 'other', email: 'NEW@example.org' }), {
      name: 'Conflict',
      message: 'The e-mail address is taken',
    });
    await t.rejects(w.administration.create(w.admin(), { ...body, username: 'api' }), { name: 'ValidationFailed' });
    await t.rejects(w.administration.create(w.admin(), { ...body, username: 'short', password: '1234567' }), {
      name: 'ValidationFailed',
    });
  });

  await t.test('two concurrent creations with the same name: exactly one succeeds', async (t) => {
    const w = await governed();
    const answers = await Promise.allSettled([
      w.administration.create(w.admin(), body),
      w.administration.create(w.admin(), { ...body, email: 'other@example.org' }),
    ]);
    t.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
    t.match(
      answers.find(({ status }) => status === 'rejected'),
      { reason: { name: 'Conflict', message: 'The username is taken' } },
    );
  });

  await t.test('suspension ends every session and token at once, and reactivation restores none', async (t) => {
    const w = await governed();
    await w.listen();
    const signed = await w.signIn('ada');
    const session = (await w.reads(signed.accessToken))?.credential.id ?? '';
    const { secret } = await w.tokens.create(w.as(w.ada, { id: session }), {
      name: 'x',
      scopes: [],
      expiresAt: undefined,
    });
    t.equal((await w.administration.update(w.admin(), { id: w.ada.id, status: 'suspended' })).status, 'suspended');
    t.equal(await w.reads(signed.accessToken), undefined);
    t.equal(await w.reads(secret), undefined);
    await t.rejects(w.signIn('ada'), { code: 'account_suspended' });
    await w.administration.update(w.admin(), { id: w.ada.id, status: 'active' });
    t.equal(await w.reads(signed.accessToken), undefined);
    t.equal(await w.reads(secret), undefined);
    t.ok(await w.signIn('ada'));
    await w.storage.drained();
    t.strictSame(
      w.heard.filter(({ aggregate }) => aggregate === `user:${w.ada.id}`).map(({ type }) => type),
      [
        'user.created',
        'token.created',
        'user.updated',
        'user.suspended',
        'user.credentials_revoked',
        'user.updated',
        'user.reactivated',
      ],
    );
  });

  await t.test('an update without a change writes nothing', async (t) => {
    const w = await governed();
    const before = w.entries.length;
    t.strictSame(
      await w.administration.update(w.admin(), { id: w.ada.id, status: 'active', email: 'ada@example.org' }),
      w.ada,
    );
    t.equal(w.entries.length, before);
  });

  await t.test('the last active super-admin cannot be demoted, suspended or deleted', async (t) => {
    const w = await governed();
    for (const change of [{ isAdmin: false }, { status: 'suspended' }] as const)
      await t.rejects(w.administration.update(w.admin(), { id: w.root.id, ...change }), { name: 'Conflict' });
    const second = await w.administration.create(w.admin(), { ...body, isAdmin: true });
    await w.administration.update(w.admin(), { id: second.id, status: 'suspended' });
    await t.rejects(
      w.administration.update(w.admin(), { id: w.root.id, isAdmin: false }),
      { name: 'Conflict' },
      'a suspended one does not count',
    );
    await w.administration.update(w.admin(), { id: second.id, status: 'active' });
    await t.rejects(w.administration.delete(w.admin(), { id: w.root.id }), {
      name: 'Conflict',
      body: { reason: 'Administrators cannot delete their own account; another one has to' },
    });
    await w.administration.delete(w.as(second), { id: w.root.id });
    await t.rejects(w.administration.delete(w.as(w.root), { id: second.id }), {
      name: 'Conflict',
      body: { reason: 'It is the last instance administrator' },
    });
  });

  await t.test('two administrators who demote each other concurrently leave one', async (t) => {
    const w = await governed();
    const second = await w.administration.create(w.admin(), { ...body, isAdmin: true });
    const answers = await Promise.allSettled([
      w.administration.update(w.admin(), { id: second.id, isAdmin: false }),
      w.administration.update(w.as(second), { id: w.root.id, isAdmin: false }),
    ]);
    t.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  await t.test('a delegated administrator can neither create nor change a super-admin', async (t) => {
    const w = await governed();
    const above = { name: 'Forbidden' };
    await t.rejects(w.administration.create(w.delegate, { ...body, isAdmin: true }), above);
    await t.rejects(w.administration.update(w.delegate, { id: w.ada.id, isAdmin: true }), above);
    await t.rejects(w.administration.update(w.delegate, { id: w.root.id, email: 'mine@example.org' }), above);
    await t.rejects(w.administration.setPassword(w.delegate, { id: w.root.id, password: 'my password' }), above);
    await t.rejects(w.administration.revokeTokens(w.delegate, { id: w.root.id }), above);
    await t.rejects(w.administration.delete(w.delegate, { id: w.root.id }), above);
    await w.administration.setPassword(w.delegate, { id: w.ada.id, password: 'new password' });
    t.ok(await w.signIn('ada', 'new password'));
  });

  await t.test('a demoted administrator has no administrator rights on the next request', async (t) => {
    const w = await governed();
    const second = await w.administration.create(w.admin(), { ...body, isAdmin: true });
    const { accessToken } = await w.signIn('neo', 'password');
    t.match(await w.reads(accessToken), { isAdmin: true });
    await w.administration.update(w.admin(), { id: second.id, isAdmin: false });
    t.match(await w.reads(accessToken), { isAdmin: false });
  });

  await t.test('deletion revokes credentials first, and names the records that refer to the user', async (t) => {
    const w = await governed();
    const { accessToken } = await w.signIn('ada');
    w.references.push(
      { what: 'repositories', counts: async (ids) => new Map(ids.map((id) => [id, 2])) },
      { what: 'issues', counts: async () => new Map() },
    );
    await t.rejects(w.administration.delete(w.admin(), { id: w.ada.id }), {
      name: 'Conflict',
      message: 'The user cannot be deleted',
      body: { reason: 'Other records still refer to the user: 2 repositories' },
    });
    t.equal(await w.reads(accessToken), undefined);
    w.references.length = 0;
    await w.administration.delete(w.admin(), { id: w.ada.id });
    await t.rejects(w.administration.fetch(w.admin(), { id: w.ada.id }), { name: 'NotFound' });
    await t.rejects(w.administration.delete(w.admin(), { id: w.ada.id }), { name: 'NotFound' });
    t.match(w.entries.at(-1), { action: 'user.deleted', details: { username: 'ada' }, actorUsername: 'root' });
  });

  await t.test('a foreign key that prevents the deletion is a conflict that names the table', async (t) => {
    const w = await governed();
    const accounts: AccountStore = {
      ...w.parts.accounts,
      delete: async () => {
        throw new StillReferenced('repositories_repository');
      },
    };
    await t.rejects(w.build({ accounts }).administration.delete(w.admin(), { id: w.ada.id }), {
      name: 'Conflict',
      body: { reason: 'Records in "repositories_repository" still refer to the user' },
    });
    t.ok(await w.administration.fetch(w.admin(), { id: w.ada.id }));
  });

  await t.test('a failing audit entry rolls the change back', async (t) => {
    const w = await governed();
    const audit = {
      append: async () => {
        throw new Error('no audit');
      },
    };
    await t.rejects(w.build({ audit }).administration.update(w.admin(), { id: w.ada.id, displayName: 'Ada' }), {
      message: 'no audit',
    });
    t.equal((await w.administration.fetch(w.admin(), { id: w.ada.id })).displayName, '');
  });

  await t.test('the first start creates exactly one super-admin, also with two concurrent starts', async (t) => {
    const w = world();
    const found = await Promise.all([
      w.firstAdministrator({ username: 'admin', password: undefined }),
      w.firstAdministrator({ username: 'admin', password: undefined }),
    ]);
    const made = found.find((one) => one !== undefined);
    t.equal(found.filter((one) => one !== undefined).length, 1);
    t.match(made?.password, /^[0-9A-Za-z]{24}$/);
    t.equal((await w.signIn('admin', made?.password)).account.isAdmin, true);
    t.equal(await w.firstAdministrator({ username: 'other', password: undefined }), undefined);
    t.notMatch(JSON.stringify(w.entries), made?.password ?? 'none');
    const given = await world().firstAdministrator({ username: 'boss', password: 'given password' });
    t.strictSame(given, { username: 'boss', password: undefined });
  });

  await t.test(
    'an operator resets a password: every session and token ends, and the audit entry is the system’s',
    async (t) => {
      const w = await governed();
      const { accessToken } = await w.signIn('ada');
      const { password } = await w.recovery.resetPassword('ADA');
      t.equal(await w.reads(accessToken), undefined);
      await t.rejects(w.signIn('ada'), { name: 'Unauthorized' });
      t.ok(await w.signIn('ada', password));
      t.match(
        w.entries.find(({ action }) => action === 'user.password_reset'),
        { actorId: undefined, actorUsername: 'system', resource: `user:${w.ada.id}` },
      );
      t.notMatch(JSON.stringify(w.entries), password);
      await t.rejects(w.recovery.resetPassword('nobody'), {
        name: 'NotFound',
        message: 'There is no account "nobody"',
      });
    },
  );
});
