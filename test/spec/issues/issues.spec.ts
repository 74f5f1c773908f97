// Document B, "Issues": opening, reading, changing, closing and deleting one.
import t from 'tap';
import { sharedForge } from '#test/support/shared-forge';

const repos = '/api/v1/repos';
import { appendFileSync } from 'node:fs';
const forLog = (...a: unknown[]) => appendFileSync('/tmp/smoke.txt', a.join(' ') + '\n');
const type = (last: number): string => `00000000-0000-4000-8000-00000000000${last}`;

void t.test('smoke', async (t) => {
  const forge = await sharedForge(t);
  const alice = await forge.createUser('alice');
  t.equal((await alice.client.post(repos, { body: { name: 'code' } })).status, 201);
  const issues = `${repos}/alice/code/issues`;
  const made = await alice.client.post(issues, {
    body: { title: 'One', issue_type_id: type(1), due_date: '2026-02-03', assignee_ids: [alice.id], story_points: 3 },
  });
  t.equal(made.status, 201, made.text);
  forLog(made.text);
  const two = await alice.client.post(issues, {
    body: { title: 'Two', issue_type_id: type(5), parent_id: (made.body as { id: string }).id },
  });
  t.equal(two.status, 201, two.text);
  for (const q of [
    '',
    '?state=open&q=two&has_parent=true&type=bug',
    '?overdue=true&story_points_min=2&unestimated=false',
    '?label=x',
    '?overdue=false&due_after=2026-01-01',
  ])
    forLog((await alice.client.get(issues + q)).text.slice(0, 200));
  for (const [m, p, b] of [
    ['PATCH', '/1', { title: 'New', story_points: null }],
    ['POST', '/1/close'],
    ['POST', '/1/reopen'],
    ['GET', '/1/children'],
    ['PUT', '/1/parent', { parent_number: 2 }],
    ['DELETE', '/2/parent'],
    ['PUT', '/1', {}],
    ['POST', '', { issue_type: 'bug' }],
    ['PATCH', '/1', { issue_type: {} }],
    ['PATCH', '/1', { parent_id: null }],
    ['PATCH', '/1', { foo: 1 }],
    ['GET', '/abc'],
    ['GET', '/9'],
    ['DELETE', '/1'],
  ] as const) {
    const a = await alice.client.request(m, issues + p, b === undefined ? {} : { body: b });
    forLog(m, p, a.status, a.text.slice(0, 250));
  }
  t.match((await alice.client.get(`${repos}/alice/code`)).body, { open_issues_count: 1 });
});
