// Tests that a changed setting applies immediately in the process that changed it, and within two seconds in another
// one. The processes share PostgreSQL, data directory and Redis; with the embedded database there is one process.
import t from 'tap';
import type { Answer, Client } from '#test/support/clients/client';
import { startTestForge } from '#test/support/forge';
import { sharedServers } from '#test/support/servers/shared-servers';
import { timeUntil } from '#test/support/time-until';
import { startRedis } from '../../tools/peers/redis-server.ts';

const bound = 2_000;
const rounds = 5;

const basic = (username: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

/**
 * Settings of three plugins, a request that depends on each, and its status while the setting is `true` and `false`.
 */
const seen: readonly {
  readonly key: string;
  readonly ask: (anonymous: Client) => Promise<Answer>;
  readonly when: Readonly<Record<'true' | 'false', number>>;
}[] = [
  {
    key: 'oauth2.enabled',
    ask: (anonymous) => anonymous.get('/.well-known/oauth-authorization-server'),
    when: { true: 200, false: 503 },
  },
  {
    key: 'git.password_auth',
    ask: (anonymous) =>
      anonymous.get('/ada/code.git/info/refs?service=git-upload-pack', {
        headers: basic('ada', 'password of ada'),
      }),
    when: { true: 200, false: 401 },
  },
  {
    key: 'signup.enabled',
    // The name is taken, so no user is registered.
    ask: (anonymous) =>
      anonymous.post('/api/v1/auth/register', {
        body: { username: 'ada', email: 'ada@example.com', password: 'password of ada' },
      }),
    when: { true: 409, false: 403 },
  },
];

void t.test('a setting applies in every process within two seconds', { timeout: 240_000 }, async (t) => {
  const redis = await startRedis();
  t.teardown(() => redis.stop());
  const seed = await startTestForge(t);
  const { client: ada } = await seed.createUser('ada');
  t.equal((await ada.post('/api/v1/repos', { body: { name: 'code', visibility: 'private' } })).status, 201);
  const { token } = await seed.signIn(seed.admin.username, seed.admin.password);
  await seed.stop();
  const { servers, clients, as } = await sharedServers(t, seed, {
    HEXFORGE_PLUGINS: '+redis',
    REDIS_URL: redis.url,
    HEXFORGE_BASE_URL: 'https://forge.example.com',
  });
  const [anonymous, admin] = [clients(), as(token)];
  const other = (turn: number): Client => anonymous[(turn + 1) % anonymous.length] as Client;

  for (const { key, ask, when } of seen)
    await t.test(key, async (t) => {
      let longest = 0;
      for (let round = 0; round < rounds; round += 1)
        for (const from of servers.keys())
          for (const value of ['false', 'true'] as const) {
            const what = `${value}, round ${round}, through process ${from}`;
            // Each process has then read and cached the old value.
            for (const client of anonymous) await ask(client);
            const changed = await admin(from).put(`/api/v1/admin/settings/${key}`, { body: { value } });
            t.equal(changed.status, 200, `${what}: ${changed.text}`);
            const told = async (client: Client): Promise<boolean> => (await ask(client)).status === when[value];
            const taken = await timeUntil(() => told(other(from)), bound);
            longest = Math.max(longest, taken);
            t.ok(taken <= bound, `${what}: it applies in the other within ${bound} ms, after ${Math.round(taken)}`);
            t.ok(await told(anonymous[from] as Client), `${what}: and in its own process at once`);
            t.ok(await told(other(from)), `${what}: and remains`);
          }
      t.comment(`${key}: at most ${Math.round(longest)} ms of ${bound}`);
    });
});
