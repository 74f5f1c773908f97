// Rate limits of a token, its application and a repository, in addition to those of the caller.
import t from 'tap';
import { rateLimiter } from '#adapters/http/overload/rate-limiter';
import type { Caller, Credential } from '#core/kernel/caller';
import type { MeteredTarget, RateBudgets, RateRefusal } from '#core/kernel/rate';
import { counter, now } from './rig.ts';

const ada = (credential: Pick<Credential, 'kind' | 'id' | 'applicationId'>): Caller => ({
  kind: 'user',
  id: 'ada',
  username: 'ada',
  isAdmin: false,
  credential: { scopes: 'all', via: 'bearer', ...credential },
});
const token = ada({ kind: 'oauth', id: 't1', applicationId: 'a1' });
const budget = (limit: number) => ({ limit, windowSeconds: 60, window: 'fixed' }) as const;

function rig(narrowed: Readonly<Record<string, number>>) {
  const refusals: RateRefusal[] = [];
  const asked: MeteredTarget[] = [];
  const rateCounter = counter();
  const budgets: RateBudgets = {
    budget: async () => budget(5),
    async narrowed(_meter, target) {
      asked.push(target);
      const limit = narrowed[`${target.kind}:${target.id}`];
      return limit === undefined ? undefined : budget(limit);
    },
    refused: (refusal) => void refusals.push(refusal),
  };
  const limiter = rateLimiter({ rateCounter, budgets });
  const request = (caller: Caller) => ({ caller, ip: '192.0.2.1', now, method: 'GET', path: '/x' });
  return { limiter, rateCounter, refusals, asked, request };
}

void t.test('a token and its application are charged in addition to the caller', async (t) => {
  const { limiter, rateCounter, refusals, request } = rig({ 'tokens:t1': 3, 'apps:a1': 2 });
  const headers = [];
  for (let time = 0; time < 3; time += 1) headers.push(await limiter.take('api.read', request(token)));
  t.strictSame(
    headers.map((decision) => [decision?.headers['x-ratelimit-limit'], decision?.refusal !== undefined]),
    [
      ['2', false],
      ['2', false],
      ['2', true],
    ],
  );
  t.strictSame(
    [...rateCounter.taken],
    [
      ['api.read:user:ada', 3],
      ['api.read:user:ada:tokens:t1', 3],
      ['api.read:user:ada:apps:a1', 2],
    ],
  );
  t.strictSame(refusals, [
    {
      subject: 'user:ada:apps:a1',
      scope: 'api.read',
      limit: 2,
      windowSeconds: 60,
      path: '/x',
      method: 'GET',
      ip: '192.0.2.1',
      at: now,
    },
  ]);
});

void t.test('a session has neither, and narrower budgets are not charged after a rejection', async (t) => {
  const { limiter, asked, refusals, request } = rig({});
  for (let time = 0; time < 6; time += 1) await limiter.take('api.read', request(ada({ kind: 'session', id: 's' })));
  t.strictSame(asked, []);
  t.match(refusals, [{ subject: 'user:ada', limit: 5 }]);
  await limiter.take('api.read', request(token));
  t.strictSame(asked, []);
});

void t.test('a repository without its own budget is not charged', async (t) => {
  const { limiter, rateCounter, request } = rig({ 'repos:r1': 1 });
  t.equal(await limiter.takeOfRepository('api.read', request(token), 'r2'), undefined);
  t.equal((await limiter.takeOfRepository('api.read', request(token), 'r1'))?.refusal, undefined);
  t.match(await limiter.takeOfRepository('api.read', request(token), 'r1'), { refusal: { name: 'RateLimited' } });
  t.match(await limiter.takeOfRepository('api.read', request({ kind: 'anonymous' }), 'r1'), { refusal: undefined });
  t.strictSame([...rateCounter.taken.keys()], ['api.read:user:ada:repos:r1', 'api.read:address:192.0.2.1:repos:r1']);
});
