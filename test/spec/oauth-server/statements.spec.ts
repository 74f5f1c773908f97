// Tests of the SQL statements of the token and introspection endpoints, and of a request with each kind of credential:
// one statement for each record that must be read or changed, and no others.
import t from 'tap';
import { startTestForge } from '#test/support/forge';
import { onDatabase } from '#test/support/marks';
import { statementRecorder, type Statement } from '#test/support/statements';
import { timeUntil } from '#test/support/time-until';
import { codeFor, exchange, expected, introspect, makeApp, refresh, tokensFor, type Tokens } from './flow.ts';

/** For example `select oauth_server_code`: the verb and the first table. */
const words = ({ sql }: Statement): string =>
  `${/^\w+/.exec(sql)?.[0]} ${/(?:from|into|update) "?(\w+)/.exec(sql)?.[1]}`;

void onDatabase(t).test('statements of requests about tokens', { timeout: 60_000 }, async (t) => {
  const recorded = statementRecorder();
  const forge = await startTestForge(t);
  const { client: user } = await forge.createUser('alice');
  const app = await makeApp(user);
  /** The statements that `work` causes, without the reads of settings, which happen once a second. */
  const statements = async (work: () => Promise<unknown>): Promise<readonly string[]> =>
    (await recorded(work)).map(words).filter((one) => !one.endsWith('settings_setting'));

  // The first exchange records that the client is in use, and makes the key of ID tokens.
  const first = await tokensFor(forge, user, app, { scope: 'read:user openid' });
  /** The client, and whether its owner is suspended. */
  const client = ['select oauth_server_client', 'select identity_user'];
  const issued = ['insert oauth_server_access_token', 'insert oauth_server_refresh_token'];

  await t.test('an exchange', async (t) => {
    const { code, keys } = await codeFor(user, app, { scope: 'read:repo' });
    const asked = await statements(async () => expected(await exchange(forge, app, code, keys), 200, 'exchanging'));
    t.strictSame(asked, [
      ...client,
      'select oauth_server_code',
      'select identity_user',
      'update oauth_server_grant',
      'update oauth_server_code',
      'select identity_session',
      // Deletes token families past the limit before it inserts the new one.
      'delete oauth_server_family',
      'insert oauth_server_family',
      ...issued,
    ]);
  });

  await t.test('a refresh, and one with an ID token', async (t) => {
    const { code, keys } = await codeFor(user, app, { scope: 'read:repo' });
    const plain = expected(await exchange(forge, app, code, keys), 200, 'exchanging').body as Tokens;
    const asked = (token: string) =>
      statements(async () => expected(await refresh(forge, app, token), 200, 'refreshing'));
    const begun = [...client, 'select oauth_server_refresh_token'];
    const changed = [
      'select identity_user',
      'update oauth_server_grant',
      'update oauth_server_refresh_token',
      ...issued,
    ];
    t.strictSame(await asked(plain.refresh_token), [...begun, ...changed]);
    t.strictSame(await asked(first.refresh_token), [...begun, 'select oauth_server_key', ...changed]);
  });

  await t.test('creating an application takes no extra read: its secret is returned only this once', async (t) => {
    const body = { name: 'Notes', redirect_uris: ['https://notes.example/cb'] };
    const asked = await statements(async () =>
      expected(await user.post('/api/v1/user/oauth2/apps', { body }), 201, 'creating an application'),
    );
    // The only read of the user is the row lock, which is held while the application is written.
    t.equal(asked.filter((one) => one === 'select identity_user').length, 1, asked.join(', '));
  });

  await t.test('an introspection', async (t) => {
    const asked = await statements(() => introspect(forge, app, first.access_token));
    t.strictSame(asked, [...client, 'select oauth_server_access_token', 'select identity_user']);
  });

  await t.test('the check of each kind of credential', async (t) => {
    const { id, token } = expected(
      await user.post('/api/v1/user/tokens', { body: { name: 'one', scopes: ['repo:read'] } }),
      201,
      'creating a token',
    ).body as { id: string; token: string };
    /** The statements that identify the caller, without that of the profile that the route returns. */
    const credential = async (client: typeof user): Promise<readonly string[]> => {
      const asked = await statements(async () => expected(await client.get('/api/v1/auth/me'), 200, 'asking'));
      t.equal(asked.at(-1), 'select identity_user');
      return asked.slice(0, -1);
    };
    // The first use of the token is recorded concurrently with the request.
    expected(await forge.as(token).get('/api/v1/auth/me'), 200, 'using a token');
    const used = async (): Promise<boolean> => {
      const { items } = expected(await user.get('/api/v1/user/tokens'), 200, 'listing tokens').body as {
        items: { id: string; last_used_at: string | null }[];
      };
      return items.some((one) => one.id === id && one.last_used_at !== null);
    };
    t.ok(Number.isFinite(await timeUntil(used, 10_000)));
    t.strictSame(await credential(forge.as(token)), ['select identity_token']);
    t.strictSame(await credential(user), ['select identity_session']);
    t.strictSame(await credential(forge.as(first.access_token)), [
      'select oauth_server_access_token',
      'select identity_user',
    ]);
  });
});
