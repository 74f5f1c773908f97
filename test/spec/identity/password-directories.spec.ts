// Tests of password directories: signing in and using git with passwords that the directory of a plugin accepts.
import { definePlugin, type PasswordDirectory } from 'hexforge/plugin';
import t from 'tap';
import type { Answer } from '#test/support/clients/client';
import { startTestForge } from '#test/support/forge';
import { thorough } from '#test/support/marks';

const repos = '/api/v1/repos';
const now = { password: 'directory password' };

/** A plugin in plain JavaScript with a directory whose answer depends on the password. */
function corp() {
  const asked: string[] = [];
  const answers: Readonly<Record<string, (username: string) => unknown>> = {
    [now.password]: async (username) => ({ username }),
    'own subject': async (username) => ({ username, subject: '7' }),
    claims: async (username) => ({ kind: 'user', id: 'u1', username, isAdmin: true }),
    true: async () => true,
    throws: () => {
      throw Object.assign(new Error('no network'), { config: { password: 'hunter2' } });
    },
    hangs: () => new Promise(() => undefined),
  };
  const check = (username: string, password: string): unknown => {
    asked.push(username);
    return answers[password]?.(username);
  };
  const plugin = definePlugin({
    name: 'corp',
    version: '1.0.0',
    api: '*',
    provides: { PasswordDirectory: () => ({ check: check as PasswordDirectory['check'] }) },
  });
  return { plugin, asked };
}

/** A second directory, called after the other one, that never fails. */
const annex = definePlugin({
  name: 'annex',
  version: '1.0.0',
  api: '*',
  provides: {
    PasswordDirectory: () => ({
      check: async (username, password) => (password === 'throws' && username === 'lucky' ? { username } : undefined),
    }),
  },
});

void t.test('password directories', async (t) => {
  const { plugin, asked } = corp();
  const forge = await startTestForge(t, {
    definitions: [plugin, annex],
    configuration: {
      plugins: { identity: { directory_seconds: 1 } },
      settings: { 'signup.enabled': true, 'signup.require_approval': true },
    },
    recheckMs: 0,
  });
  const { anonymous, admin } = forge;
  const by = await forge.administrator();
  const owner = await forge.createUser('owner');
  await owner.client.post(repos, { body: { name: 'private', visibility: 'private' } });
  const login = (username: string, password = now.password): Promise<Answer> =>
    anonymous.post('/api/v1/auth/login', { body: { username, password } });
  /** The status and text of a git request with this username and password. */
  const git = async (username: string, password = now.password, path = 'owner/private') => {
    const answer = await fetch(`${forge.url}/${path}.git/info/refs?service=git-upload-pack`, {
      headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
    });
    return { status: answer.status, text: await answer.text() };
  };

  await t.test('a user that the directory accepts signs in and uses git as the account of that name', async (t) => {
    const answer = await login('OWNER');
    t.match(answer, { status: 200, body: { user: { id: owner.id, username: 'owner', is_admin: false } } });
    t.equal(answer.headers.getSetCookie().length, 2);
    t.equal((await git('Owner')).status, 200);
    t.equal((await login('owner', owner.password)).status, 200, 'its own password is valid too');
    t.equal((await git('owner', owner.password)).status, 200);
  });

  await t.test('signing in by the directory neither removes nor gives the rights of an administrator', async (t) => {
    const answer = await login(admin.username);
    t.match(answer, { status: 200, body: { user: { username: 'admin', is_admin: true } } });
    const { access_token: token } = answer.body as { access_token: string };
    t.equal((await forge.as(token).get('/api/v1/admin/users')).status, 200);
    t.equal((await git(admin.username)).status, 200, 'administrators read everything');
    await forge.createUser('plain');
    t.equal((await git('plain')).status, 404);
  });

  await t.test('a suspended account can neither sign in nor use git', async (t) => {
    const { id } = await forge.createUser('suspended', { isAdmin: true });
    await by.patch(`/api/v1/admin/users/${id}`, { body: { status: 'suspended' } });
    t.match(await login('suspended'), { status: 403, body: { error_code: 'account_suspended' } });
    const { status, text } = await git('suspended');
    t.equal(status, 403);
    t.match(text, /account_suspended/);
  });

  await t.test('an account that waits for approval can neither sign in nor use git', async (t) => {
    const body = { username: 'pending', email: 'pending@example.org', password: 'long enough' };
    t.equal((await anonymous.post('/api/v1/auth/register', { body })).status, 201);
    t.match(await login('pending'), { status: 403, body: { error_code: 'approval_pending' } });
    t.equal((await git('pending')).status, 403);
  });

  await t.test('a user of the directory without an account is refused, and no account is created', async (t) => {
    t.match(await login('stranger'), { status: 403, body: { error_code: 'account_unknown' } });
    t.equal((await git('stranger')).status, 403);
    t.equal((await anonymous.get('/api/v1/users/stranger')).status, 404);
    t.match(await login('owner', 'own subject'), { status: 403, body: { error_code: 'account_exists' } });
    t.equal((await git('owner', 'own subject')).status, 403);
  });

  await thorough(t).test(
    'twelve sign-ins and twelve uses of git with the right password do not throttle a user',
    async (t) => {
      await forge.createUser('diligent');
      for (let time = 0; time < 12; time += 1) {
        t.equal((await login('diligent')).status, 200);
        t.equal((await git('diligent', now.password, 'owner/none')).status, 404);
      }
    },
  );

  await t.test(
    '429 after ten failures, of session and git together, also for a password that a directory accepts',
    async (t) => {
      await forge.createUser('guessed');
      for (let time = 0; time < 5; time += 1) {
        t.equal((await login('guessed', 'wrong')).status, 401);
        t.equal((await git('guessed', 'wrong')).status, 401);
      }
      t.match(await login('guessed'), { status: 429, body: { error_code: 'rate_limited' } });
      t.equal((await git('guessed')).status, 429);
    },
  );

  await t.test(
    'a wrong password and an unknown name get the same answer, after one call of the directory each',
    async (t) => {
      const answers = [];
      for (const username of ['owner', 'nobody-at-all']) {
        const before = asked.length;
        answers.push((await login(username, 'wrong')).text);
        t.equal(asked.length, before + 1, username);
      }
      t.equal(answers[0], answers[1]);
    },
  );

  await t.test(
    'a malformed result, an exception and a timeout of the directory are 503 naming the directory',
    async (t) => {
      for (const [index, password] of ['claims', 'true', 'throws', 'hangs'].entries()) {
        const username = `unlucky-${index}`;
        const [session, basic] = await Promise.all([login(username, password), git(username, password)]);
        t.match(
          session,
          {
            status: 503,
            body: { error: 'The password directory "corp" is not available', error_code: 'unavailable' },
          },
          password,
        );
        t.strictSame(session.headers.getSetCookie(), []);
        t.equal(basic.status, 503, password);
        t.equal(basic.text, session.text);
      }
      const { stderr } = forge.output;
      t.match(stderr, /\\"kind\\" is not allowed/);
      t.match(stderr, /no network/);
      t.notMatch(stderr, /hunter2/, 'other members of the error are not logged');
      t.match(stderr, /its check of a password took longer than 1 s/);
      t.match(stderr, /"plugin":"corp"/);
      const lucky = await forge.createUser('lucky');
      t.match(
        await login('lucky', 'throws'),
        { status: 200, body: { user: { id: lucky.id } } },
        'the other directory accepts the pair',
      );
      t.equal((await anonymous.get('/readyz')).status, 200, 'the forge is still ready');
    },
  );

  await t.test('one request calls the directory once, for any number of access rechecks', async (t) => {
    const before = asked.length;
    t.equal((await git('owner')).status, 200);
    t.equal(asked.length, before + 1);
  });
});
