// Rate limits of requests: keys, headers and rejections.
import Joi from 'joi';
import t from 'tap';
import { api, object } from '#adapters/http/descriptor/route';
import { currentCaller } from '#adapters/system/current-caller';
import { reads, signedIn } from '#core/kernel/access/access';
import type { Authenticator } from '#core/kernel/access/credentials';
import type { RateBudgets } from '#core/kernel/rate';
import { authenticator, basic, bearer, counter, fixed, now, open, startRig } from './rig.ts';

const metered = ({ headers }: { headers: object }) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith('x-ratelimit') || name === 'retry-after'),
  );
const reset = String(Math.ceil((now.getTime() + 30_500) / 1000));

const routes = [
  api({ ...open, id: 'read', method: 'GET', path: '/read', meter: 'api.read' }),
  api({ ...open, id: 'write', method: 'POST', path: '/write', meter: 'api.write' }),
  api({ ...open, id: 'mine', method: 'GET', path: '/mine', meter: 'api.read', access: signedIn }),
  api({
    ...open,
    id: 'hidden',
    method: 'GET',
    path: '/things/{name}',
    meter: 'api.read',
    access: reads('thing', 'thing.read'),
    params: object<{ name: string }>({ name: Joi.string().required() }),
  }),
  api({ ...open, id: 'tool', method: 'POST', path: '/tool', meter: 'mcp.tool_call', access: signedIn }),
  api({ ...open, id: 'openTool', method: 'POST', path: '/open-tool', meter: 'mcp.tool_call' }),
  api({ ...open, id: 'free', method: 'GET', path: '/free', meter: 'none' }),
  api({ ...open, id: 'git', method: 'GET', path: '/git', mount: 'root', meter: 'api.read', basic: true }),
  api({
    ...open,
    id: 'gitTool',
    method: 'POST',
    path: '/git-tool',
    mount: 'root',
    meter: 'mcp.tool_call',
    basic: true,
  }),
];
/** Anonymous callers: 3 of everything and no tool calls; users 5; administrators unlimited. */
const budgets: RateBudgets = {
  async budget(meter, { userId, isAdmin }) {
    if (isAdmin) return undefined;
    return fixed(userId !== undefined ? 5 : meter === 'mcp.tool_call' ? 0 : 3);
  },
};

void t.test('every metered answer has the remaining budget, and a rejection has Retry-After', async (t) => {
  const rateCounter = counter();
  const rig = await startRig(t, routes, { budgets, rateCounter });
  for (const [path, status] of [
    ['read', 200],
    ['mine', 401],
    ['things/closed', 404],
  ] as const) {
    const answer = await rig.call('GET', `/api/v1/${path}`);
    t.equal(answer.status, status, path);
    t.match(
      metered(answer),
      { 'x-ratelimit-limit': '3', 'x-ratelimit-reset': reset, 'x-ratelimit-resource': 'api.read' },
      path,
    );
  }
  for (const method of ['GET', 'HEAD']) {
    const refused = await rig.call(method, '/api/v1/read');
    t.equal(refused.status, 429);
    t.strictSame(metered(refused), {
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': reset,
      'x-ratelimit-resource': 'api.read',
      'retry-after': '31',
    });
    if (method === 'GET')
      t.strictSame(refused.body, {
        error: 'Too many requests',
        detail: 'The budget "api.read" is 3 requests in 60 seconds',
        error_code: 'rate_limited',
      });
  }
  const write = await rig.call('POST', '/api/v1/write');
  t.strictSame(
    metered(write),
    {
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '2',
      'x-ratelimit-reset': reset,
      'x-ratelimit-resource': 'api.write',
    },
    'each meter has its own budget',
  );
  t.strictSame(
    [...rateCounter.taken],
    [
      ['api.read:address:127.0.0.1', 3],
      ['api.write:address:127.0.0.1', 1],
    ],
  );
  for (const path of ['/api/v1/free', '/healthz'])
    t.strictSame(metered(await rig.call('GET', path)), {}, `${path} is not metered`);
});

void t.test('a user is counted by id, whatever the credential and address', async (t) => {
  const rateCounter = counter();
  const rig = await startRig(t, routes, { budgets, rateCounter, trustedProxies: ['127.0.0.1'] });
  await rig.call('GET', '/api/v1/read', { headers: bearer('good') });
  const second = await rig.call('GET', '/api/v1/read', {
    headers: { ...bearer('pat-read'), 'x-forwarded-for': '203.0.113.1' },
  });
  t.equal(metered(second)['x-ratelimit-remaining'], '3');
  t.strictSame([...rateCounter.taken], [['api.read:user:id-alice', 2]]);
  t.strictSame(
    metered(await rig.call('GET', '/api/v1/read', { headers: bearer('root') })),
    {},
    'a caller without a budget is not counted',
  );
});

void t.test('a bad credential is charged to its address', async (t) => {
  const rateCounter = counter();
  const rig = await startRig(t, routes, { budgets, rateCounter, trustedProxies: ['127.0.0.1'] });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  for (let count = 0; count < 3; count++)
    t.equal(
      (await rig.call('GET', '/api/v1/read', { headers: { ...bearer('bad'), ...from(`2001:db8:1:2::${count}`) } }))
        .status,
      401,
    );
  t.equal(
    (await rig.call('GET', '/api/v1/read', { headers: { ...bearer('bad'), ...from('2001:db8:1:2:ffff::') } })).status,
    429,
    'IPv6 by its /64',
  );
  t.equal(
    (await rig.call('GET', '/api/v1/read', { headers: { ...bearer('bad'), ...from('2001:db8:1:3::1') } })).status,
    401,
    'another /64 has another budget',
  );
  t.equal(
    (await rig.call('GET', '/api/v1/read', { headers: { ...bearer('good'), ...from('2001:db8:1:2::1') } })).status,
    200,
    'a good credential is not limited by the budget of its address',
  );
});

void t.test('a password is charged to its address before the check, and to its user if it is right', async (t) => {
  const rateCounter = counter();
  let checks = 0;
  const counting: Authenticator = {
    ...authenticator,
    authenticate: (presented, context) => {
      const { passwords } = context;
      return authenticator.authenticate(presented, {
        ...context,
        ...(passwords !== undefined && {
          passwords: async () => {
            await passwords();
            checks += 1;
          },
        }),
      });
    },
  };
  const rig = await startRig(t, routes, { budgets, rateCounter, authenticator: counting });
  const get = (headers: object, path = '/git') => rig.call('GET', path, { headers: { ...headers } });
  const right = basic('alice', 'pass:word');
  for (let time = 0; time < 4; time += 1)
    t.equal((await get(right)).status, 200, 'the address is not charged for these');
  t.strictSame(
    [...rateCounter.taken],
    [
      ['api.read:address:127.0.0.1', 0],
      ['api.read:user:id-alice', 4],
    ],
  );
  for (let time = 0; time < 3; time += 1) {
    const refused = await get(basic('alice', 'wrong'));
    t.strictSame([refused.status, metered(refused)['x-ratelimit-remaining']], [401, String(2 - time)], 'counted once');
  }
  t.equal(checks, 7);
  for (let time = 0; time < 20; time += 1) {
    const spent = await get(basic(`nobody-${time}`, 'wrong'));
    t.strictSame([spent.status, spent.headers['retry-after']], [429, '31']);
  }
  t.equal((await get(right)).status, 429, 'a right password is not checked either');
  t.equal(checks, 7, 'beyond the budget no password is checked');
  for (const token of [bearer('other'), basic('anybody', 'other')])
    t.equal((await get(token)).status, 200, 'a token behind the same address is not limited');
});

void t.test(
  'a right password of a user beyond their budget is charged to the address, so its checks are bounded',
  async (t) => {
    const rateCounter = counter();
    const rig = await startRig(t, routes, { budgets, rateCounter });
    const statuses = [];
    for (let time = 0; time < 12; time += 1)
      statuses.push((await rig.call('GET', '/git', { headers: basic('alice', 'pass:word') })).status);
    t.strictSame(statuses, [...Array.from({ length: 5 }, () => 200), ...Array.from({ length: 7 }, () => 429)]);
    t.equal(rateCounter.taken.get('api.read:address:127.0.0.1'), 3);
  },
);

void t.test('passwords have a budget per address also if anonymous callers have no budget', async (t) => {
  const rig = await startRig(t, routes, { budgets });
  const tool = (password: string) =>
    rig.call('POST', '/git-tool', { headers: basic('alice', password) }).then(({ status }) => status);
  t.equal(await tool('pass:word'), 200);
  const tried = [];
  for (let time = 0; time < 31; time += 1) tried.push(await tool('wrong'));
  t.strictSame([tried.filter((status) => status === 401).length, tried.at(-1)], [30, 429]);
});

void t.test('a budget of zero rejects after the access decision', async (t) => {
  const rig = await startRig(t, routes, { budgets });
  t.equal((await rig.call('POST', '/api/v1/tool')).status, 401, 'a credential is missing, so waiting would not help');
  t.equal((await rig.call('POST', '/api/v1/tool', { headers: bearer('bad') })).status, 401);
  t.equal((await rig.call('POST', '/api/v1/open-tool')).status, 429);
  t.equal((await rig.call('POST', '/api/v1/tool', { headers: bearer('good') })).status, 200);
});

void t.test('without a budget provider nothing is metered', async (t) => {
  const rig = await startRig(t, routes);
  t.strictSame(metered(await rig.call('GET', '/api/v1/read')), {});
});

void t.test('the caller key is the account id, or the network without an account', async (t) => {
  const current = currentCaller();
  const keys: (string | undefined)[] = [];
  const rig = await startRig(
    t,
    [
      api({
        ...open,
        id: 'who',
        method: 'GET',
        path: '/who',
        meter: 'api.read',
        run: async () => {
          await new Promise((resolve) => setImmediate(resolve));
          keys.push(current.key());
          return { ok: true };
        },
      }),
    ],
    { currentCaller: current, trustedProxies: ['127.0.0.1'] },
  );
  await rig.call('GET', '/api/v1/who');
  await rig.call('GET', '/api/v1/who', { headers: { 'x-forwarded-for': '2001:db8:1:2:3::4' } });
  await rig.call('GET', '/api/v1/who', { headers: bearer('good') });
  t.strictSame(keys, ['address:127.0.0.1', 'address:2001:db8:1:2::/64', 'user:id-alice']);
  t.equal(current.key(), undefined, "undefined for the server's own work");
});
