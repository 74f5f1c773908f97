// Tests the pages of issues: the list with its filters, new issues, one issue with its forms, and who may see them.
import t from 'tap';
import type { Browser, Page } from '#host/sdk/testing/browser';
import { testHost, type TestHost } from '#host/sdk/testing';

const base = '/alice/site/-/issues';
const typeId = (last: number): string => `00000000-0000-4000-8000-00000000000${last}`;

const forgeWith = (visibility: 'public' | 'private' = 'public'): Promise<TestHost> =>
  testHost([], { repositories: [{ path: 'alice/site', visibility }], users: ['bob'] });

const rest = async <T>(
  forge: TestHost,
  method: 'post' | 'patch' | 'put',
  path: string,
  json: object = {},
): Promise<T> => {
  const { status, body } = await forge.as('alice')[method](`/repos/alice/site${path}`, { json });
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
  return body as T;
};
interface Issue {
  readonly id: string;
  readonly number: number;
  readonly [member: string]: unknown;
}
const opened = (forge: TestHost, members: object = {}): Promise<Issue> =>
  rest(forge, 'post', '/issues', { title: 'An issue', issue_type_id: typeId(3), ...members });
const fetched = async (forge: TestHost, number: number): Promise<Issue> =>
  (await forge.as('alice').get(`/repos/alice/site/issues/${number}`)).body as Issue;

/** Sends the form of the page with this action, and these values. */
const send = (
  browser: Browser,
  page: Page,
  action: string,
  values: Readonly<Record<string, string>>,
  part?: string,
): Promise<Page> => {
  const index = page.forms.findIndex(
    (form) => form.action === `${base}${action}` && (part === undefined || form.fields['part'] === part),
  );
  return browser.submit(page, values, index);
};
const numbersIn = ({ html }: Page): readonly number[] =>
  [...html.matchAll(/class="title">\s*<a href="\/alice\/site\/-\/issues\/(\d+)"/g)].map(([, number]) => Number(number));

void t.test('the list of issues', async (t) => {
  await using forge = await forgeWith();
  const browser = forge.browser('alice');
  t.match((await browser.open(base)).html, /There is no issue yet/);
  const { id: label } = await rest<Issue>(forge, 'post', '/labels', { name: 'parser', color: '3f4fc4' });
  const { id: milestone } = await rest<Issue>(forge, 'post', '/milestones', { title: 'First' });
  const bob = (await forge.user('bob')).id;
  await opened(forge, { title: 'Login fails', issue_type_id: typeId(5), due_date: '2020-01-01' });
  await opened(forge, { label_ids: [label], milestone_id: milestone, assignee_ids: [bob] });
  await opened(forge, { title: 'Done' });
  await rest(forge, 'post', '/issues/3/close');
  await rest(forge, 'post', '/issues/1/comments', { body: 'So it is' });

  const list = await browser.open(base);
  t.strictSame(numbersIn(list), [2, 1], 'open ones, the newest first');
  t.match(list.html, />2 open</);
  t.match(list.html, />1 closed</);
  t.match(list.html, /Issues <span class="count">2<\/span>/, 'the tab of the repository has the count of open ones');
  t.match(list.html, /overdue since 2020-01-01/);
  t.match(list.html, /<bdi>parser<\/bdi>/);
  for (const [query, numbers] of Object.entries({
    'state=closed': [3],
    'state=all': [3, 2, 1],
    'state=all&sort=oldest': [1, 2, 3],
    'label=PARSER': [2],
    'type=bug': [1],
    'assignee=bob': [2],
    'assignee=nobody': [],
    'author=bob': [],
    'author=alice': [2, 1],
    'overdue=true': [1],
    'q=login': [1],
    [`milestone_id=${milestone}`]: [2],
  }))
    t.strictSame(numbersIn(await browser.open(`${base}?${query}`)), numbers, query);
  const filtered = await browser.submit(await browser.open(`${base}?state=all&label=parser`), { q: 'issue' });
  t.match(filtered.path, /state=all/, 'the form keeps the state');
  t.strictSame(numbersIn(filtered), [2]);
  t.match((await browser.open(`${base}?q=nothing`)).html, /No issue matches/);

  const found = await browser.open(`${base}/search?q=login`);
  t.strictSame(numbersIn(found), [1]);
  t.match(found.html, /q=login&amp;state=all&amp;type=bug"/);
});

void t.test('a list of issues has pages', async (t) => {
  await using forge = await forgeWith();
  for (let made = 0; made < 26; made += 1) await opened(forge);
  const browser = forge.browser();
  t.equal(numbersIn(await browser.open(base)).length, 25);
  const second = await browser.open(`${base}?page=2&label=`);
  t.strictSame(numbersIn(second), [1]);
  t.match(second.html, /Page 2 of 2/);
});

void t.test('a new issue has all members of its form', async (t) => {
  await using forge = await forgeWith();
  const { id: label } = await rest<Issue>(forge, 'post', '/labels', { name: 'parser', color: '3f4fc4' });
  const { id: milestone } = await rest<Issue>(forge, 'post', '/milestones', { title: 'First' });
  const { id: component } = await rest<Issue>(forge, 'post', '/components', { name: 'core' });
  const { id: version } = await rest<Issue>(forge, 'post', '/versions', { name: '1.0' });
  await opened(forge, { title: 'The parent' });
  const browser = forge.browser('alice');
  const query = 'title=From%20a%20link&description=Text&type=bug&labels=parser,none&milestone=first&assignees=bob';
  const form = await browser.open(`${base}/new?${query}&parent=1&due_date=2027-01-31`);
  t.equal((await fetched(forge, 2)).number, undefined, 'a link fills the form in, and sends nothing');
  t.match(form.forms[0]?.fields, { title: 'From a link', milestone_id: milestone, label_ids: label, assignees: 'bob' });

  const shown = await browser.submit(form, {
    description: 'First\r\nsecond',
    issue_status: 'blocked',
    priority: 'high',
    component_ids: component,
    fix_version_ids: version,
    affects_version_ids: version,
    story_points: '3',
    input_tokens: '100',
    output_tokens: '0',
    assumptions: 'None',
    acceptance_criteria: 'It works',
  });
  t.match(shown, { status: 200, path: `${base}/2` });
  t.match(await fetched(forge, 2), {
    title: 'From a link',
    description: 'First\nsecond',
    issue_type: { name: 'bug' },
    issue_status: 'blocked',
    priority: 'high',
    labels: [{ name: 'parser' }],
    milestone: { title: 'First' },
    assignees: [{ username: 'bob' }],
    parent: { number: 1 },
    components: [{ name: 'core' }],
    fix_versions: [{ name: '1.0' }],
    affects_versions: [{ name: '1.0' }],
    due_date: '2027-01-31',
    story_points: 3,
    input_tokens: 100,
    output_tokens: 0,
    assumptions: 'None',
    acceptance_criteria: 'It works',
  });

  const empty = await browser.submit(form, { title: '' });
  t.match(empty, { status: 422, path: `${base}/new` });
  t.match(empty.html, /id="title-error"/);
  t.match(empty.forms[0]?.fields, { description: 'Text', assignees: 'bob' }, 'what was typed is kept');
  const unknown = await browser.submit(form, { assignees: 'bob carol' });
  t.equal(unknown.status, 422);
  t.match(unknown.html, /id="assignees-error">[^<]*carol/);
  const orphan = await browser.submit(form, { parent_number: '#99' });
  t.match(orphan.html, /The repository has no issue #99/);
});

void t.test('each part of the side column is changed by its form', async (t) => {
  await using forge = await forgeWith();
  const { id: label } = await rest<Issue>(forge, 'post', '/labels', { name: 'parser', color: '3f4fc4' });
  const { id: milestone } = await rest<Issue>(forge, 'post', '/milestones', { title: 'First' });
  const { id: component } = await rest<Issue>(forge, 'post', '/components', { name: 'core' });
  const { id: version } = await rest<Issue>(forge, 'post', '/versions', { name: '1.0' });
  await opened(forge);
  await opened(forge, { title: 'Another' });
  const browser = forge.browser('alice');
  const change = async (part: string, values: Readonly<Record<string, string>>): Promise<Issue> => {
    const after = await send(browser, await browser.open(`${base}/1`), '/1/fields', values, part);
    t.match(after, { status: 200, path: `${base}/1` }, part);
    return fetched(forge, 1);
  };
  t.match(await change('assignees', { assignees: '@bob, alice' }), {
    assignees: [{ username: 'alice' }, { username: 'bob' }],
  });
  t.strictSame((await change('assignees', { assignees: '' }))['assignees'], []);
  t.match(await change('labels', { label_ids: label }), { labels: [{ name: 'parser' }] });
  t.strictSame((await change('labels', { label_ids: '' }))['labels'], []);
  t.match(await change('type', { issue_type_id: typeId(5) }), { issue_type: { name: 'bug' } });
  t.match(await change('status', { issue_status: 'in_progress', priority: 'low' }), {
    issue_status: 'in_progress',
    priority: 'low',
  });
  t.match(await change('milestone', { milestone_id: milestone }), { milestone: { title: 'First' } });
  t.equal((await change('milestone', { milestone_id: '' }))['milestone'], null);
  t.match(await change('due', { due_date: '2027-01-31' }), { due_date: '2027-01-31' });
  t.equal((await change('due', { due_date: '' }))['due_date'], null);
  t.match(await change('components', { component_ids: component }), { components: [{ name: 'core' }] });
  t.match(await change('versions', { fix_version_ids: version }), {
    fix_versions: [{ name: '1.0' }],
    affects_versions: [],
  });
  t.match(await change('estimate', { story_points: '5', input_tokens: '7' }), {
    story_points: 5,
    input_tokens: 7,
    output_tokens: null,
  });
  t.match(await change('lock', { locked: 'true' }), { locked: true });

  const wrong = await send(browser, await browser.open(`${base}/1`), '/1/fields', { assignees: 'carol' }, 'assignees');
  t.equal(wrong.status, 422);
  t.match(wrong.html, /id="assignees-error">[^<]*carol/);
  t.match(wrong.html, /value="carol"/);

  const moved = await send(browser, await browser.open(`${base}/1`), '/1/parent', { parent_number: '2' });
  t.match(moved.html, /<b>This issue<\/b>/);
  t.match(await fetched(forge, 1), { parent: { number: 2 } });
  const circle = await send(browser, await browser.open(`${base}/2`), '/2/parent', { parent_number: '1' });
  t.match(circle, { status: 422, html: /cannot be a child of one of its own descendants/ });
  t.match((await browser.open(`${base}/2`)).html, /0 of 1 closed/);
  await send(browser, moved, '/1/parent', { parent_number: '' });
  t.match(await fetched(forge, 1), { parent: null });

  const linked = await send(browser, moved, '/1/links', { type: 'blocks', target_number: '#2' });
  t.match(linked.html, />blocks<\/span>/);
  t.match(await fetched(forge, 2), { blocked_by: [{ number: 1 }] });
  const [, link = ''] = /name="id"\s+value="([^"]*)"/.exec(linked.html) ?? [];
  await send(browser, linked, '/1/links/delete', { id: link });
  t.match(await fetched(forge, 2), { links_count: 0 });
  t.match(await send(browser, linked, '/1/links', { type: 'blocks', target_number: '1' }), {
    status: 422,
    html: /An issue cannot be linked to itself/,
  });

  await send(browser, linked, '/1/watching', { watch: 'false' });
  t.match(await fetched(forge, 1), { watching: false });
});
