// Tests that requests for disabled or absent operations are metered: unknown paths, hidden routes, other methods.
import t from 'tap';
import { api } from '#adapters/http/descriptor/route';
import { signedIn } from '#core/kernel/access/access';
import { TemporarilyUnavailable } from '#core/oauth/model/errors';
import type { RateBudgets } from '#core/kernel/rate';
import { bearer, counter, fixed, open, startRig } from './rig.ts';

const budgets: RateBudgets = { budget: async (_meter, { userId }) => fixed(userId === undefined ? 3 : 5) };

const routes = [
  api({ ...open, id: 'on', method: 'POST', path: '/on' }),
  api({ ...open, id: 'unseen', method: 'POST', path: '/unseen', there: async () => false }),
  api({
    ...open,
    id: 'closed',
    method: 'POST',
    path: '/closed',
    open: async () => {
      throw new TemporarilyUnavailable('off');
    },
  }),
  api({ ...open, id: 'without', method: 'POST', path: '/without', requires: ['Lens'] }),
  api({ ...open, id: 'lacking', method: 'POST', path: '/lacking', requires: ['Shutter'] }),
  api({ ...open, id: 'mine', method: 'GET', path: '/mine', access: signedIn }),
];
const limited = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-ratelimit')));

void t.test('every absent or closed operation has the budget and the headers of one that is served', async (t) => {
  const absent = {
    '/api/v1/on': 200,
    '/api/v1/unseen': 404,
    '/api/v1/nothing': 404,
    '/nothing': 404,
    '/api/v1/mine': 405,
    '/api/v1/without': 404,
    '/api/v1/lacking': 503,
    '/api/v1/closed': 503,
  } as const;
  for (const [path, status] of Object.entries(absent)) {
    const rateCounter = counter();
    const rig = await startRig(t, routes, {
      budgets,
      rateCounter,
      absentPort: (name) =>
        name === 'Lens'
          ? { component: 'lens', absent: 'hidden' }
          : name === 'Shutter'
            ? { component: 'shutter', absent: 'unavailable' }
            : undefined,
    });
    const ask = (headers = {}) => rig.call('POST', path, { headers });
    const [first, , , last] = [await ask(), await ask(), await ask(), await ask()];
    t.strictSame([first.status, last.status], [status, 429], path);
    t.match(limited(first.headers), { 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '2' }, path);
    t.match(limited(first.headers), { 'x-ratelimit-resource': 'api.write' }, path);
    t.equal((await ask(bearer('good'))).status, status, `${path}: a user has a budget of their own`);
    t.strictSame([...rateCounter.taken.keys()], ['api.write:address:127.0.0.1', 'api.write:user:id-alice'], path);
    await rig.server.stop(0);
  }
});

void t.test('reads are charged to api.read; a bad credential on an unknown path to its address', async (t) => {
  const rateCounter = counter();
  const rig = await startRig(t, routes, { budgets, rateCounter });
  t.equal((await rig.call('GET', '/nothing')).status, 404);
  t.equal((await rig.call('HEAD', '/api/v1/on')).status, 405);
  t.equal((await rig.call('GET', '/nothing', { headers: bearer('bad') })).status, 404);
  t.equal((await rig.call('GET', '/nothing')).status, 429);
  t.strictSame([...rateCounter.taken], [['api.read:address:127.0.0.1', 3]]);
  for (const path of ['/healthz', '/readyz'])
    t.strictSame(limited((await rig.call('GET', path)).headers), {}, `${path} is not metered`);
  t.strictSame(limited((await rig.call('OPTIONS', '/api/v1/on')).headers), {}, 'the methods of a path are not metered');
});
