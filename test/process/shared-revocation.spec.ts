// Tests that revoking a credential through one of two processes also applies in the other at the next request. The
// processes share PostgreSQL, data directory and Redis; with the embedded database there is one process.
import t from 'tap';
import type { Answer } from '#test/support/clients/client';
import { startTestForge } from '#test/support/forge';
import { sharedServers } from '#test/support/servers/shared-servers';
import { endings, signIn } from '#test/spec/oauth-server/endings';
import type { Place } from '#test/spec/oauth-server/flow';
import { startRedis } from '../../tools/peers/redis-server.ts';

/** The uses of each credential: the REST API, and git with the token as the password. */
const uses: readonly ((at: Place, token: string) => Promise<Answer>)[] = [
  (at, token) => at.as(token).get('/api/v1/auth/me'),
  (at, token) =>
    at.anonymous.get('/ada/code.git/info/refs?service=git-upload-pack', {
      headers: { authorization: `Basic ${Buffer.from(`x-oauth-token:${token}`).toString('base64')}` },
    }),
];

void t.test(
  'a credential revoked in one process is rejected by both at the next request',
  { timeout: 240_000 },
  async (t) => {
    const redis = await startRedis();
    t.teardown(() => redis.stop());
    const seed = await startTestForge(t);
    const { client: ada } = await seed.createUser('ada');
    t.equal((await ada.post('/api/v1/repos', { body: { name: 'code', visibility: 'private' } })).status, 201);
    await seed.stop();
    const { clients } = await sharedServers(t, seed, {
      // The test requests more tokens than one address may request in a minute.
      HEXFORGE_RATE_LIMIT: 'off',
      HEXFORGE_PLUGINS: '+redis',
      REDIS_URL: redis.url,
      HEXFORGE_BASE_URL: 'https://forge.example.com',
    });
    const places = clients().map((anonymous): Place => ({
      anonymous,
      as: (token) => anonymous.with({ authorization: `Bearer ${token}` }),
    }));

    for (const [from, one] of places.entries()) {
      const other = places[(from + 1) % places.length] as Place;
      const session = await signIn(one, seed.admin.username, seed.admin.password);
      for (const { what, credentials, renewal, end } of await endings(one, session, `-${from}`))
        await t.test(`${what}, through process ${from}`, async (t) => {
          const tokens = Object.entries(credentials);
          const statuses = (at: Place): Promise<readonly string[]> =>
            Promise.all(
              tokens.flatMap(([which, token]) =>
                uses.map(
                  async (use, index) => `${which}, ${index === 0 ? 'REST' : 'git'}: ${(await use(at, token)).status}`,
                ),
              ),
            );
          const all = (status: number): readonly string[] =>
            tokens.flatMap(([which]) => [`${which}, REST: ${status}`, `${which}, git: ${status}`]);
          // Both processes have accepted the credential, so each has it in its caches.
          for (const place of places) t.strictSame(await statuses(place), all(200), 'valid before');
          await end(one);
          t.strictSame(await statuses(other), all(401), 'the other rejects it at the next request');
          t.strictSame(await statuses(one), all(401), 'the same process does too');
          if (renewal === undefined) return;
          for (const place of [other, one]) {
            const { status, body } = await renewal.ask(place);
            t.match(
              { status, body },
              { status: renewal.status, body: { error: renewal.error } },
              'it is not renewed either',
            );
          }
        });
    }
  },
);
