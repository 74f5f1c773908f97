// Searches are metered as api.expensive, the deprecated operations too.
import t from 'tap';
import { groups, isError, members, startMetered } from '../limits/world.ts';
import { ask } from './world.ts';

void t.test('the budget of api.expensive', async (t) => {
  const { forge, patch } = await startMetered(t);
  const { client } = await forge.createUser('ada');
  const remaining = Number(members(await ask(client, 'a'))['x-ratelimit-remaining']);
  t.equal(remaining, 119, 'the default of the general group is 120');
  const paths = ['/api/v1/search?q=a', '/api/v1/search/code?q=a', '/api/v1/search/suggest?q=a', '/api/v1/search?q='];
  for (const [at, path] of paths.entries())
    t.match(members(await client.get(path)), {
      'x-ratelimit-limit': '120',
      'x-ratelimit-remaining': String(remaining - 1 - at),
      'x-ratelimit-reset': /^\d{10}$/,
      'x-ratelimit-resource': 'api.expensive',
    });
  const other = members(await client.get('/api/v1/user'));
  t.match(other, { 'x-ratelimit-resource': 'api.read', 'x-ratelimit-remaining': '2999' }, 'a budget of its own');

  await patch(groups.general, 'api.expensive', { requests_per_window: 5 });
  for (const path of paths) {
    const refused = await client.get(path);
    isError(t, refused, 429, 'rate_limited', path);
    t.match(members(refused), { 'retry-after': /^\d+$/, 'x-ratelimit-remaining': '0' });
  }
  t.equal((await client.get('/api/v1/user')).status, 200);

  await patch(groups.anonymous, 'api.expensive', { requests_per_window: 1 });
  const statuses = [];
  for (let time = 0; time < 2; time += 1) statuses.push((await ask(forge.anonymous, 'a')).status);
  t.strictSame(statuses, [401, 429], 'anonymous requests are metered by their address');
});
