// Tests the pages of labels, milestones, components, versions and issue types, and who may see them.
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';

const base = '/alice/site/-';
const task = '00000000-0000-4000-8000-000000000003';

const forgeWith = (): Promise<TestHost> =>
  testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }], users: ['bob'] });
const read = async (forge: TestHost, path: string): Promise<unknown> =>
  (await forge.as('alice').get(`/repos/alice/site/${path}`)).body;

/** Each noun with a form, what REST has after it was sent, and values that are refused with the field that is wrong. */
const nouns = [
  {
    path: 'labels',
    name: 'name',
    form: { name: 'parser', color: '#3F4FC4', description: 'Of texts' },
    made: { name: 'parser', color: '3F4FC4', description: 'Of texts' },
    refused: [{ name: 'x', color: 'red' }, 'color'],
    duplicate: /is in use/,
  },
  {
    path: 'milestones',
    name: 'title',
    form: { title: 'First', due_date: '2027-01-31', description: 'The first' },
    made: { title: 'First', due_date: '2027-01-31', description: 'The first' },
    refused: [{ title: 'x', due_date: '2027-02-31' }, 'due_date'],
    duplicate: undefined,
  },
  {
    path: 'components',
    name: 'name',
    form: { name: 'core', description: 'Rules' },
    made: { name: 'core', description: 'Rules' },
    refused: [{ name: ' x' }, 'name'],
    duplicate: /is in use/,
  },
  {
    path: 'versions',
    name: 'name',
    form: { name: '1.0', release_date: '2027-01-31', released: 'true' },
    made: { name: '1.0', release_date: '2027-01-31', released: true },
    refused: [{ name: 'x', release_date: 'soon' }, 'release_date'],
    duplicate: /is in use/,
  },
] as const;

for (const { path, name, form, made, refused, duplicate } of nouns)
  void t.test(`${path} are created, changed and deleted`, async (t) => {
    await using forge = await forgeWith();
    const browser = forge.browser('alice');
    const list = await browser.open(`${base}/${path}`);
    const index = list.forms.findIndex(({ action, method }) => method === 'POST' && action === `${base}/${path}`);
    t.equal((await browser.submit(list, form, index)).status, 200);
    const all = (await read(forge, path)) as { readonly items?: unknown };
    const [item] = (Array.isArray(all) ? all : all.items) as [{ readonly id: string }];
    t.match(item, made);
    const wrong = await browser.submit(list, refused[0], index);
    t.equal(wrong.status, 422);
    t.match(wrong.html, new RegExp(`id="${refused[1]}-error"`));
    t.match(wrong.forms[index]?.fields, refused[0], 'what was typed is kept');
    if (duplicate !== undefined) t.match(await browser.submit(list, form, index), { status: 422, html: duplicate });

    const own = `${base}/${path}/${item.id}`;
    const edit = await browser.open(path === 'milestones' ? `${own}/edit` : own);
    const at = (action: string): number => edit.forms.findIndex((one) => one.action === action);
    await browser.submit(edit, { [name]: 'Renamed' }, at(path === 'milestones' ? `${own}/edit` : own));
    const after = (await read(forge, path)) as { readonly items?: unknown };
    t.match(Array.isArray(after) ? after : after.items, [{ ...made, [name]: 'Renamed' }]);
    t.match(await browser.submit(edit, { confirm: 'another' }, at(`${own}/delete`)), {
      status: 422,
      html: /id="\w+Delete-error"/,
    });
    t.match(await browser.submit(edit, { confirm: 'Renamed' }, at(`${own}/delete`)), {
      status: 200,
      path: `${base}/${path}`,
      html: /There is no/,
    });
  });

void t.test('a milestone has progress and its issues, and is closed and reopened', async (t) => {
  await using forge = await forgeWith();
  const alice = forge.as('alice');
  const post = async (path: string, json: object = {}): Promise<string> =>
    ((await alice.post(`/repos/alice/site/${path}`, { json })).body as { readonly id?: string } | undefined)?.id ?? '';
  const milestone = await post('milestones', { title: 'First', due_date: '2020-01-01' });
  for (const title of ['One', 'Two', 'Three'])
    await post('issues', { title, issue_type_id: task, milestone_id: milestone });
  await post('issues/3/close');
  const browser = forge.browser('alice');
  const page = await browser.open(`${base}/milestones/${milestone}`);
  t.match(page.html, /1 of 3 closed[\s\S]*Two[\s\S]*One[\s\S]*Three/, 'open ones first');
  t.match(page.html, /Overdue/);
  t.match(page.html, new RegExp(`href="${base}/issues\\?milestone_id=${milestone}&amp;state=all"`));
  const index = page.forms.findIndex(({ action }) => action.endsWith('/state'));
  const closed = await browser.submit(page, { state: 'closed' }, index);
  t.match(closed.html, /value="open"[^<]*Reopen/);
  t.match((await browser.open(`${base}/milestones`)).html, /0 open[\s\S]*1 closed/);
  t.match((await browser.open(`${base}/milestones?state=closed`)).html, /<bdi>First<\/bdi>/);
  await browser.submit(closed, { state: 'open' }, index);
  t.match(await read(forge, `milestones/${milestone}`), { state: 'open' });
});

void t.test('issue types of a repository are added, ordered and removed', async (t) => {
  await using forge = await forgeWith();
  const browser = forge.browser('alice');
  const page = `${base}/settings/issue-types`;
  const press = async (move: string, type: string): Promise<unknown> => {
    const shown = await browser.open(page);
    const index = shown.forms.findIndex(({ action, fields }) => action === page && fields['type'] === type);
    await browser.submit(shown, { move }, index);
    const scheme = (await read(forge, 'issue-type-scheme')) as readonly {
      readonly issue_type: { readonly name: string };
    }[];
    return scheme.map(({ issue_type }) => issue_type.name);
  };
  const bug = '00000000-0000-4000-8000-000000000005';
  t.strictSame(await press('add', task), ['task']);
  t.strictSame(await press('add', bug), ['task', 'bug']);
  t.strictSame(await press('up', bug), ['bug', 'task']);
  t.strictSame(await press('down', task), ['bug', 'task']);
  t.strictSame(await press('down', bug), ['task', 'bug']);
  t.strictSame(await press('remove', task), ['bug']);
  const form = await browser.open(`${base}/issues/new`);
  t.match(form.html, /<option value="[^"]*5" selected/);
  t.notMatch(form.html, />Task</);
});

void t.test('administrators change the issue types of the instance', async (t) => {
  await using forge = await forgeWith();
  const browser = forge.browser('admin');
  const path = '/-/admin/issue-types';
  const page = await browser.open(path);
  const form = { name: 'Chore', display_name: 'Chore', color: '#00ff00', is_subtask: 'true' };
  const index = page.forms.findIndex(({ action }) => action === path);
  t.match((await browser.submit(page, form, index)).html, /<code>chore<\/code>/);
  t.match(await browser.submit(page, { ...form, color: 'green' }, index), { status: 422, html: /id="color-error"/ });
  t.match(await browser.submit(page, form, index), { status: 422, html: /is in use/ });
  const all = (await forge.as('admin').get('/issue-types')).body as readonly {
    readonly id: string;
    readonly name: string;
  }[];
  const id = all.find(({ name }) => name === 'chore')?.id ?? '';
  const edit = await browser.open(`${path}/${id}`);
  const at = (action: string): number => edit.forms.findIndex((one) => one.action === `${path}/${id}${action}`);
  await browser.submit(edit, { display_name: 'Other work' }, at(''));
  t.match((await forge.as('admin').get(`/issue-types/${id}`)).body, { display_name: 'Other work', is_subtask: true });
  t.equal((await browser.submit(edit, { confirm: 'work' }, at('/delete'))).status, 422);
  t.match(await browser.submit(edit, { confirm: 'chore' }, at('/delete')), { status: 200, path });
  t.equal((await forge.as('admin').get(`/issue-types/${id}`)).status, 404);
  t.equal((await forge.browser('bob').open(path)).status, 403);
  t.match((await forge.browser().open(path)).path, /^\/-\/sign-in/);
});

void t.test('pages are for readers; forms are for those who may write', async (t) => {
  const names = ['public', 'internal', 'private'] as const;
  await using forge = await testHost([], {
    repositories: names.map((name) => ({ path: `alice/${name}`, visibility: name })),
    users: ['bob'],
  });
  for (const name of names)
    await forge.as('alice').post(`/repos/alice/${name}/issues`, { json: { title: 'One', issue_type_id: task } });
  const reads = [
    'issues',
    'issues/search',
    'issues/1',
    'issues/1/history',
    'labels',
    'milestones',
    'components',
    'versions',
  ];
  const writes = ['issues/new', 'issues/1/edit'];
  const owns = ['issues/1/delete', 'settings/issue-types'];
  const statuses = async (repository: string, username?: string): Promise<readonly (number | string)[]> => {
    const browser = forge.browser(username);
    const pages = await Promise.all(
      [reads, writes, owns].flat().map((page) => browser.open(`/alice/${repository}/-/${page}`)),
    );
    return pages.map(({ status, path }) => (path.startsWith('/-/sign-in') ? 'sign-in' : status));
  };
  const all = (...each: readonly (number | string)[]): readonly (number | string)[] => [
    ...reads.map(() => each[0] ?? ''),
    ...writes.map(() => each[1] ?? ''),
    ...owns.map(() => each[2] ?? ''),
  ];
  t.strictSame(await statuses('public'), all(200, 'sign-in', 'sign-in'));
  t.strictSame(await statuses('internal'), all(404, 'sign-in', 'sign-in'));
  t.strictSame(await statuses('internal', 'bob'), all(200, 200, 403));
  t.strictSame(await statuses('private', 'bob'), all(404, 404, 404));
  t.strictSame(await statuses('private', 'alice'), all(200, 200, 200));
  t.strictSame(await statuses('none', 'alice'), all(404, 404, 404));

  const bob = forge.browser('bob');
  const shown = await bob.open('/alice/public/-/issues/1');
  const actions = shown.forms.map(({ action }) => action.replace('/alice/public/-/issues/1/', ''));
  t.strictSame(
    actions.filter((action) => !action.startsWith('/-/')),
    ['comments', 'watching'],
    'those of a reader',
  );
  const post = async (path: string, body: string, username = 'bob', repository = 'public'): Promise<number> => {
    const browser = forge.browser(username);
    await browser.open('/');
    const { status } = await browser.request('POST', new URL(`/alice/${repository}/-/${path}`, forge.url), {
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    return status;
  };
  const nobody = '00000000-0000-4000-8000-0000000000ff';
  for (const [path, body] of [
    ['issues/1/fields', 'part=due'],
    ['issues/1/comments', 'state=closed'],
    ['issues/1/edit', 'title=x'],
    ['issues/1/parent', ''],
    ['issues/1/links', 'type=blocks&target_number=1'],
    ['issues/1/links/delete', `id=${nobody}`],
    ['issues/1/delete', 'number=1'],
    [`issues/1/history/${nobody}/delete`, ''],
    ['labels', 'name=x&color=ffffff'],
    [`labels/${nobody}`, 'name=x&color=ffffff'],
    [`labels/${nobody}/delete`, 'confirm=x'],
    ['milestones', 'title=x'],
    [`milestones/${nobody}/edit`, 'title=x'],
    [`milestones/${nobody}/state`, 'state=closed'],
    [`milestones/${nobody}/delete`, 'confirm=x'],
    ['components', 'name=x'],
    [`components/${nobody}/delete`, 'confirm=x'],
    ['versions', 'name=x'],
    ['settings/issue-types', `type=${task}&move=add`],
  ] as const) {
    t.equal(await post(path, body), 403, path);
    t.equal(await post(path, body, 'bob', 'private'), 404, path);
  }
});

void t.test('pages of a disabled plugin are gone, and no link leads to them', async (t) => {
  const repositories = [{ path: 'alice/site', visibility: 'public' as const }];
  await using issuesOff = await testHost([], { repositories, environment: { HEXFORGE_PLUGINS: '-issues' } });
  const labels = await issuesOff.browser('alice').open(`${base}/labels`);
  t.equal(labels.status, 200);
  t.notMatch(labels.html, /\/-\/issues|\/-\/components/);
  t.equal((await issuesOff.browser('alice').open(`${base}/issues`)).status, 404);
  await using planningOff = await testHost([], { repositories, environment: { HEXFORGE_PLUGINS: '-planning' } });
  const browser = planningOff.browser('alice');
  const made = await browser.submit(await browser.open(`${base}/issues/new`), { title: 'One' });
  t.equal(made.status, 200);
  for (const { html } of [made, await browser.open(`${base}/issues`), await browser.open(`${base}/components`)])
    t.notMatch(html, /\/-\/labels|\/-\/milestones/);
  t.equal((await browser.open(`${base}/labels`)).status, 404);
});
