// Recording of rejected requests: once per subject, scope and window, with fewer writes than rejections.
import t from 'tap';
import type { RateRefusal } from '#core/kernel/rate';
import { world } from './world.ts';

const refusal = (subject: string, at: Date, more: Partial<RateRefusal> = {}): RateRefusal => ({
  subject,
  scope: 'api.read',
  limit: 1,
  windowSeconds: 60,
  path: '/api/v1/user',
  method: 'GET',
  ip: '192.0.2.1',
  at,
  ...more,
});
const page = { page: 1, perPage: 100 };

void t.test('one violation is recorded per subject, scope and window', async (t) => {
  const { rateBudgets, violations, clock, call, counts, memory } = world();
  const refused = (...given: Parameters<typeof refusal>) => rateBudgets.refused?.(refusal(...given));
  for (let time = 0; time < 1000; time += 1) refused('user:a', clock.now());
  await violations.list(call, page);
  t.equal(counts.writes, 1);
  refused('user:a', clock.now(), { scope: 'api.write' });
  refused('user:b', clock.now());
  clock.advance(60_000);
  refused('user:a', clock.now());
  t.equal((await violations.list(call, page)).total, 4);

  const other = world({ memory });
  other.clock.advance(60_000);
  other.rateBudgets.refused?.(refusal('user:a', other.clock.now()));
  t.equal((await other.violations.list(call, page)).total, 4, 'another process records no second one');
});

void t.test('violations of many subjects are bounded per minute and written in batches', async (t) => {
  const { rateBudgets, violations, clock, call, counts } = world();
  for (let subject = 0; subject < 5000; subject += 1)
    rateBudgets.refused?.(refusal(`address:${subject}`, clock.now(), { path: `/${'x'.repeat(5000)}` }));
  const { total, items } = await violations.list(call, page);
  t.equal(total, 600);
  t.ok(counts.writes <= 5, `${counts.writes} writes`);
  t.equal(items[0]?.path.length, 500);
});

void t.test('old violations are pruned, and all can be read in batches', async (t) => {
  const { rateBudgets, violations, clock, call } = world();
  for (let minute = 0; minute < 4; minute += 1, clock.advance(60_000))
    for (let subject = 0; subject < 400; subject += 1) rateBudgets.refused?.(refusal(`user:${subject}`, clock.now()));
  const ids = new Set<string>();
  let last = Number.POSITIVE_INFINITY;
  for await (const { id, at } of violations.all(call)) {
    t.ok(at.getTime() <= last);
    last = at.getTime();
    ids.add(id);
  }
  t.equal(ids.size, 1600);
  await violations.prune();
  t.equal((await violations.list(call, page)).total, 1600);
  clock.advance(30 * 86_400_000 - 120_000);
  await violations.prune();
  t.equal((await violations.list(call, page)).total, 800);
});
