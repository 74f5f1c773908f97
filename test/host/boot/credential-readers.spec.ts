// Credential readers of external plugins: they return the account of a token, and the account determines name and
// flags.
import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import { definePlugin, type CredentialReader } from 'hexforge/plugin';
import { testHost } from 'hexforge/testing';

/** Token → the reader's result, as of a plugin in plain JavaScript. */
const answers: Record<string, (now: Date) => unknown> = {};
const badge = definePlugin({
  name: 'badge',
  version: '1.0.0',
  api: '*',
  provides: {
    CredentialReader: () => ({
      prefix: 'badge_',
      read: (async (token: string, now: Date) => answers[token]?.(now)) as CredentialReader['read'],
    }),
  },
});

void t.test('credential readers of external plugins', async (t) => {
  const logged: object[] = [];
  const quiet = () => undefined;
  const forge = await testHost(badge, {
    users: ['ada'],
    settings: { 'signup.enabled': true, 'signup.require_approval': true },
    log: { debug: quiet, info: quiet, error: quiet, warn: (members) => void logged.push(members) },
  });
  t.teardown(() => forge.stop());
  const { id } = await forge.user('ada');
  const credential = { kind: 'oauth', id: 'b1', scopes: ['read:user', 'admin:users'] };
  const by = (token: string, path = '/user') =>
    forge.anonymous.request('GET', path, { headers: { authorization: `Bearer ${token}` } });

  await t.test('the name and the administrator flag are those of the account', async (t) => {
    answers['badge_boss'] = () => ({ kind: 'user', id, username: 'admin', isAdmin: true, credential });
    t.match(await by('badge_boss'), { status: 200, body: { username: 'ada' } });
    t.equal((await by('badge_boss', '/admin/users')).status, 403);
    answers['badge_who'] = () => ({ id, credential });
    t.match(await by('badge_who'), { status: 200, body: { username: 'ada' } }, 'the id is enough');
  });

  await t.test('the token of an account that may not sign in or does not exist is rejected', async (t) => {
    const bob = await forge.user('bob');
    answers['badge_bob'] = () => ({ id: bob.id, credential });
    t.equal((await by('badge_bob')).status, 200);
    t.equal((await forge.as('admin').patch(`/admin/users/${bob.id}`, { json: { status: 'suspended' } })).status, 200);
    t.equal((await by('badge_bob')).status, 401, 'suspended');

    const json = { username: 'eve', email: 'eve@example.org', password: 'a long password of eve' };
    const eve = (await forge.anonymous.post('/auth/register', { json })).body as { readonly id: string };
    answers['badge_eve'] = () => ({ id: eve.id, credential });
    t.equal((await by('badge_eve')).status, 401, 'not approved');

    answers['badge_nobody'] = () => ({ id: '00000000-0000-4000-8000-00000000dead', credential });
    t.equal((await by('badge_nobody')).status, 401, 'unknown');
    t.equal((await by('badge_other')).status, 401, 'a token unknown to the reader');
  });

  await t.test(
    'a result of another shape, or an error, is a 503 that names the plugin and exposes no value',
    async (t) => {
      const bad: Readonly<Record<string, () => unknown>> = {
        true: () => true,
        id: () => ({ id: 'hunter2', credential }),
        scopes: () => ({ id, credential: { ...credential, scopes: 'hunter2' } }),
        none: () => ({ id }),
        unchanged: () => ({ id, credential, unchanged: 'hunter2' }),
        throws: () => {
          throw new Error('no network');
        },
      };
      for (const [name, answer] of Object.entries(bad)) {
        answers[`badge_${name}`] = answer;
        const { status, body } = await by(`badge_${name}`);
        t.match(
          { status, body },
          { status: 503, body: { error: 'The credential reader of plugin "badge" is not available' } },
          name,
        );
        t.match(logged.at(-1), { plugin: 'badge', reason: String }, name);
        t.notMatch(JSON.stringify([body, logged.at(-1)]), /hunter2/, name);
      }
    },
  );

  await t.test('an access recheck calls both the reader and the account', async (t) => {
    const asked: Date[] = [];
    answers['badge_again'] = () => ({
      id,
      credential,
      unchanged: async (now: Date) => {
        asked.push(now);
        await wait(1);
        return { id, username: 'admin', isAdmin: true, credential };
      },
    });
    const door = forge.port('Authenticator');
    const presented = { via: 'bearer', token: 'badge_again' } as const;
    const context = { ip: '203.0.113.1', now: forge.clock.now() };
    const user = await door.authenticate(presented, context);
    t.match(await door.renew(user, presented, context), { id, username: 'ada', isAdmin: false });
    t.equal(asked.length, 1);
    await forge.as('admin').patch(`/admin/users/${id}`, { json: { status: 'suspended' } });
    await t.rejects(door.renew(user, presented, context), { message: 'The credential is not valid' });
  });
});
