// Tests of several server processes with rate limits in one Redis: budgets are shared exactly, also after Redis was
// down, and administered from any process. Two processes with PostgreSQL, one with the embedded database.
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { startTestForge } from '#test/support/forge';
import { sharedServers } from '#test/support/servers/shared-servers';
import { timeUntil } from '#test/support/time-until';
import { startRedis } from '../../tools/peers/redis-server.ts';

const limits = '/api/v1/admin/rate-limits';
const general = '00000000-0000-4000-9000-000000000002';
const budget = 40;
const aMinute = 60_000;
/** Milliseconds until a change applies in every process, and until counting is shared again after Redis is back. */
const bounds = { change: 2_000, shared: 5_000 } as const;

void t.test('one budget for all processes', { timeout: 240_000 }, async (t) => {
  const redis = await startRedis();
  t.teardown(() => redis.stop());
  const seed = await startTestForge(t);
  const tokens = new Map<string, string>();
  for (const name of ['ada', 'bob', 'eve', 'watcher']) {
    await seed.createUser(name);
    tokens.set(name, (await seed.signIn(name, `password of ${name}`)).token);
  }
  tokens.set('admin', (await seed.signIn(seed.admin.username, seed.admin.password)).token);
  await seed.stop();

  const { servers, clients: clientsWith } = await sharedServers(t, seed, {
    HEXFORGE_RATE_LIMIT: 'on',
    HEXFORGE_PLUGINS: '+redis',
    REDIS_URL: redis.url,
  });
  const clients = (name: string): readonly Client[] =>
    clientsWith({ authorization: `Bearer ${tokens.get(name) ?? ''}` });
  const turn = (all: readonly Client[], index: number): Client => {
    const client = all[index % all.length];
    if (client === undefined) throw new Error('there is no server');
    return client;
  };
  /**
   * Sends more requests than the budget, concurrently and alternating between the processes. @returns how many were
   * granted.
   */
  const granted = async (name: string): Promise<number> => {
    const all = clients(name);
    const answers = await Promise.all(
      Array.from({ length: budget + 50 }, (_, index) => turn(all, index).get('/api/v1/user')),
    );
    const statuses = answers.map(({ status }) => status);
    t.strictSame([...new Set(statuses)].sort(), [200, 429]);
    return statuses.filter((status) => status === 200).length;
  };
  const degraded = async (name: string): Promise<readonly boolean[]> =>
    Promise.all(
      clients('watcher').map(async (client) => {
        const { status, text } = await client.get('/readyz');
        t.equal(status, 200);
        return text.includes(name);
      }),
    );
  const admins = clients('admin');
  const limitsSeen = async (): Promise<readonly (string | null)[]> =>
    Promise.all(
      clients('watcher').map(async (client) => (await client.get('/api/v1/user')).headers.get('x-ratelimit-limit')),
    );

  await t.test('a budget changed in one process applies in each', async (t) => {
    t.strictSame(
      await limitsSeen(),
      servers.map(() => '3000'),
    );
    const body = { requests_per_window: budget, window_seconds: 86_400 };
    t.equal((await turn(admins, 0).patch(`${limits}/groups/${general}/api.read`, { body })).status, 200);
    const known = async (): Promise<boolean> => (await limitsSeen()).every((limit) => limit === String(budget));
    const taken = await timeUntil(known, bounds.change);
    t.ok(taken <= bounds.change, `every process applies it within ${bounds.change} ms, after ${Math.round(taken)}`);
  });

  await t.test('of more requests than the budget exactly the budget is granted', async (t) => {
    t.equal(await granted('ada'), budget);
    const { items } = (await turn(admins, 1).get(`${limits}/violations`)).body as {
      readonly items: readonly { readonly subject: string; readonly limit: number }[];
    };
    t.equal(items.filter(({ subject }) => subject.startsWith('user:')).length, 1, 'one violation for all processes');
  });

  for (const [what, away, back] of [
    ['stopped', () => redis.stop(), () => redis.start()],
    ['silent', async () => redis.freeze(), async () => redis.resume()],
  ] as const)
    await t.test(`Redis ${what} under load: no 5xx, /readyz names it, and counts are shared again`, async (t) => {
      let loading = true;
      const statuses = new Map<number, number>();
      const load = Array.from({ length: 8 }, async (_, index) => {
        while (loading) {
          const { status } = await turn(admins, index).get('/api/v1/user');
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      });
      await pause(300);
      await away();
      const noticed = await timeUntil(async () => (await degraded('redis')).every(Boolean), aMinute);
      t.ok(noticed <= aMinute, 'every process names redis');
      await pause(300);
      await back();
      const taken = await timeUntil(async () => !(await degraded('redis')).some(Boolean), bounds.shared);
      t.ok(taken <= bounds.shared, `no process names redis within ${bounds.shared} ms, after ${Math.round(taken)}`);
      loading = false;
      await Promise.all(load);
      t.strictSame([...statuses.keys()], [200], JSON.stringify([...statuses]));
      t.equal(await granted(what === 'stopped' ? 'bob' : 'eve'), budget, 'afterwards counts are shared exactly');
    });
});
