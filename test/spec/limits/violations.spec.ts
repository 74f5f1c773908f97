// Tests of rate-limit violations, as a list and as CSV.
import t from 'tap';
import { asked, groups, members, startMetered, violations, aDay } from './world.ts';

interface Page {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly total: number;
}

void t.test('/admin/rate-limits/violations', async (t) => {
  const { forge, admin, override, patch, reset } = await startMetered(t);
  const ada = await forge.createUser('ada');
  const listed = async (query = '') => (await admin.get(`${violations}${query}`)).body as Page;

  await t.test('GET: 200 with an empty page if there are no violations, and a CSV with only its header', async (t) => {
    t.strictSame(await listed(), { items: [], total: 0, page: 1, per_page: 25 });
    const answer = await admin.get(`${violations}.csv`);
    t.strictSame([answer.status, answer.headers.get('content-type')], [200, 'text/csv; charset=utf-8']);
    t.equal(answer.text, 'id,at,subject,scope,limit,path,method,ip\r\n');
  });

  await t.test('one violation per subject, scope and window, for any number of refusals', async (t) => {
    await override('users', ada.id, 'api.read', { requests_per_window: 1 });
    const statuses = await asked(ada.client, 12, '/api/v1/repos?q=secret');
    t.equal(statuses.filter((status) => status === 429).length, 11);
    const { items, total } = await listed();
    t.equal(total, 1);
    const { id, at, ...rest } = items[0] ?? {};
    t.match(id, /^[0-9a-f-]{36}$/);
    t.ok(Math.abs(Date.parse(String(at)) - Date.now()) < 600_000);
    t.strictSame(rest, {
      subject: `user:${ada.id}`,
      scope: 'api.read',
      limit: 1,
      path: '/api/v1/repos',
      method: 'GET',
      ip: '127.0.0.1',
    });
  });

  await t.test('the subject of an anonymous caller is its address; newest first, in pages', async (t) => {
    await patch(groups.anonymous, 'api.read', { requests_per_window: 1, window_seconds: aDay });
    await forge.anonymous.get('/api/v1/repos');
    t.equal((await forge.anonymous.get('/api/v1/repos')).status, 429);
    const page = await listed('?per_page=1');
    t.match(page, { total: 2, page: 1, per_page: 1 });
    t.match(page.items, [{ subject: 'address:127.0.0.1', ip: '127.0.0.1' }]);
    t.match(await listed('?per_page=1&page=2'), { items: [{ subject: `user:${ada.id}` }] });
    await reset(groups.anonymous, 'api.read');
  });

  await t.test('violations.csv: a header row, one line per violation, and no cell is a formula', async (t) => {
    const eve = await forge.createUser('eve');
    await override('users', eve.id, 'api.read', { requests_per_window: 1 });
    const path = '/api/v1/repos/eve/a;=1+1,"b"\t@SUM(1)';
    await eve.client.get('/api/v1/user');
    t.equal((await eve.client.get(path)).status, 429);
    const answer = await admin.get(`${violations}.csv`);
    t.match(members(answer), {
      'content-disposition': 'attachment; filename="violations.csv"',
      'x-content-type-options': 'nosniff',
    });
    const lines = answer.text.split('\r\n');
    t.equal(lines.length, 5, 'header, three lines and the end');
    t.equal(lines[0], 'id,at,subject,scope,limit,path,method,ip');
    t.match(lines[1], `user:${eve.id},api.read,1,`);
    for (const cell of answer.text.split(/[,;\t\r\n|]/)) t.notMatch(cell, /^["\s]*[=+\-@]/);
  });
});
