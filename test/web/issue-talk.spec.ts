// Tests the texts of an issue in a browser: comments, states, title and description with its history, and deletion.
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';

const hostile = '<img src=x onerror="alert(1)">\u{202e}';
const base = '/alice/site/-/issues';
const task = '00000000-0000-4000-8000-000000000003';

const forgeWith = async (): Promise<TestHost> => {
  const forge = await testHost([], {
    repositories: [{ path: 'alice/site', visibility: 'public' }],
    users: ['bob', 'carol'],
  });
  const { status } = await forge.as('bob').post('/repos/alice/site/issues', {
    json: { title: 'An issue', issue_type_id: task, description: 'As it was' },
  });
  if (status !== 201) throw new Error(`opening an issue answered ${status}`);
  return forge;
};
const issueOf = async (forge: TestHost): Promise<unknown> =>
  (await forge.as('bob').get('/repos/alice/site/issues/1')).body;
type Shown = Awaited<ReturnType<ReturnType<TestHost['browser']>['open']>>;
const formAt = ({ forms }: Shown, action: string): number =>
  forms.findIndex((form) => form.action === `${base}/1${action}`);

void t.test('comments, and the state beside them', async (t) => {
  await using forge = await forgeWith();
  const bob = forge.browser('bob');
  const page = await bob.open(`${base}/1`);
  const said = await bob.submit(page, { body: 'First\r\nline' }, formAt(page, '/comments'));
  t.match(said, { status: 200, html: /First<br>\nline/ });
  const closed = await bob.submit(said, { body: 'Done', state: 'closed' }, formAt(said, '/comments'));
  t.match(closed.html, /Closed<\/span>[\s\S]*\n *Reopen\n/);
  t.match(await issueOf(forge), { state: 'closed', comments_count: 2 });
  await bob.submit(closed, { state: 'open' }, formAt(closed, '/comments'));
  t.match(await issueOf(forge), { state: 'open', comments_count: 2 });
  const empty = await bob.submit(page, {}, formAt(page, '/comments'));
  t.match(empty, { status: 422, html: /id="body-error"/ });

  const [, edit = ''] = /href="([^"]*\/comments\/[^"]*)"/.exec(said.html) ?? [];
  const form = await bob.open(edit);
  t.match((await bob.submit(form, { body: 'Changed' })).html, /Changed[\s\S]*Done/);
  t.match(
    (await forge.browser('carol').open(edit)).forms.filter(({ action }) => action.startsWith(edit)),
    [],
  );
  const byCarol = forge.browser('carol');
  const hers = await byCarol.open(`${base}/1`);
  t.equal((await byCarol.submit(hers, { body: 'Me too' }, formAt(hers, '/comments'))).status, 200);
  await bob.submit(form, {}, formAt(form, `${edit.replace(`${base}/1`, '')}/delete`));
  t.match(await issueOf(forge), { comments_count: 2 });

  await forge.as('alice').patch('/repos/alice/site/issues/1', { json: { locked: true } });
  const locked = await byCarol.open(`${base}/1`);
  t.notMatch(locked.html, /<textarea/, 'a locked issue has no field for a comment');
  t.match(locked.html, /Locked/);
});

void t.test('a long talk has pages, and a new comment leads to the last one', async (t) => {
  await using forge = await forgeWith();
  for (let made = 0; made < 30; made += 1)
    await forge.as('bob').post('/repos/alice/site/issues/1/comments', { json: { body: `Comment ${made}` } });
  const bob = forge.browser('bob');
  const first = await bob.open(`${base}/1`);
  t.match(first.html, /Comment 29</);
  t.notMatch(first.html, /rel="next"/);
  const last = await bob.submit(first, { body: 'The last one' }, formAt(first, '/comments'));
  t.equal(last.path, `${base}/1?page=2`);
  t.match(last.html, /The last one/);
  t.notMatch(last.html, /Comment 29<|As it was/);
  t.match((await bob.open(`${base}/1`)).html, /rel="next"/);
});

void t.test('title and description change with a history, whose entries administrators delete', async (t) => {
  await using forge = await forgeWith();
  const bob = forge.browser('bob');
  const form = await bob.open(`${base}/1/edit`);
  const after = await bob.submit(form, { title: 'Another title', description: 'As it is', assumptions: 'None' });
  t.match(after, { path: `${base}/1`, html: /Another title[\s\S]*As it is/ });
  t.match(await issueOf(forge), { title: 'Another title', description: 'As it is', assumptions: 'None' });
  t.match(await bob.submit(form, { title: '' }), { status: 422, html: /id="title-error"/ });
  const history = await bob.open(`${base}/1/history`);
  const [, entry = ''] = /href="([^"]*\/history\/[^"]*)"/.exec(history.html) ?? [];
  const shown = await bob.open(entry);
  t.match(shown.html, /class="removed"[^]*As it was[^]*class="added"[^]*As it is/, 'as a difference');
  t.notMatch(shown.html, /Delete the change/);
  const alice = forge.browser('alice');
  const gone = await alice.submit(await alice.open(entry));
  t.match(gone, { path: `${base}/1/history`, html: /The description was never changed/ });
});

void t.test('deletion needs the number, and the owner', async (t) => {
  await using forge = await forgeWith();
  t.equal((await forge.browser('bob').open(`${base}/1/delete`)).status, 403);
  const alice = forge.browser('alice');
  const page = await alice.open(`${base}/1/delete`);
  t.match(await alice.submit(page, { number: '2' }), { status: 422, html: /id="number-error"/ });
  t.match(await alice.submit(page, { number: '1' }), { status: 200, path: base });
  t.equal((await alice.open(`${base}/1`)).status, 404);
});

void t.test('the dashboard lists open issues of the user', async (t) => {
  await using forge = await forgeWith();
  const { id } = await forge.user('carol');
  t.match((await forge.browser('bob').open('/')).html, /href="\/alice\/site\/-\/issues\/1"/, 'written');
  const carol = forge.browser('carol');
  t.match((await carol.open('/')).html, /No open issue is assigned to you/);
  await forge.as('alice').patch('/repos/alice/site/issues/1', { json: { assignee_ids: [id] } });
  t.match((await carol.open('/')).html, /href="\/alice\/site\/-\/issues\/1"/, 'assigned');
  await forge.as('alice').patch('/repos/alice/site', { json: { visibility: 'private' } });
  t.notMatch((await carol.open('/')).html, /An issue/, 'not those of repositories that the user may not read');
  const collaborator = '/repos/alice/site/collaborators/carol';
  await forge.as('alice').put(collaborator, { json: { role: 'coder', permissions: ['repo.read'] } });
  t.equal((await carol.open('/alice/site')).status, 200);
  t.notMatch((await carol.open('/')).html, /An issue/, 'nor those whose issues the user may not read');
  await forge.as('alice').put(collaborator, { json: { role: 'read' } });
  t.match((await carol.open('/')).html, /An issue/);
  const token = forge.as('bob', { scopes: ['repo:read'] });
  const answer = await token.request('GET', new URL('/', forge.url), { headers: { accept: 'text/html' } });
  t.notMatch(answer.body, /An issue|My issues/, 'a token without the scope');
});

void t.test('texts of users are escaped on every page of an issue', async (t) => {
  await using forge = await forgeWith();
  const alice = forge.as('alice');
  const made = async (path: string, json: object): Promise<string> =>
    ((await alice.post(`/repos/alice/site${path}`, { json })).body as { readonly id: string }).id;
  const name = hostile.replace('\u{202e}', '');
  const component = await made('/components', { name, description: hostile });
  const version = await made('/versions', { name, description: hostile });
  const label = await made('/labels', { name, color: 'ff0000', description: hostile });
  const milestone = await made('/milestones', { title: hostile, description: hostile });
  await made('/issues', {
    title: hostile,
    description: hostile,
    assumptions: hostile,
    issue_type_id: task,
    label_ids: [label],
    milestone_id: milestone,
    component_ids: [component],
    fix_version_ids: [version],
  });
  await made('/issues', {
    title: hostile,
    issue_type_id: task,
    parent_id: await made('/issues', { title: hostile, issue_type_id: task }),
  });
  await made('/issues/2/links', { type: 'blocks', target_number: 3 });
  const comment = await made('/issues/2/comments', { body: hostile });
  await alice.patch('/repos/alice/site/issues/2', { json: { description: `${hostile} again` } });
  const edits = (await alice.get('/repos/alice/site/issues/2/description-history')).body as { readonly id: string }[];
  const browser = forge.browser('alice');
  const encoded = encodeURIComponent(hostile);
  for (const path of [
    '/',
    base,
    `${base}?q=${encoded}&author=${encoded}&label=${encoded}`,
    `${base}/search?q=${encodeURIComponent('img src')}`,
    `${base}/new?title=${encoded}&description=${encoded}&assignees=${encoded}&parent=${encoded}`,
    `${base}/2`,
    `${base}/3`,
    `${base}/2/edit`,
    `${base}/2/delete`,
    `${base}/2/history`,
    `${base}/2/history/${edits[0]?.id ?? ''}`,
    `${base}/2/comments/${comment}`,
    '/alice/site/-/components',
    `/alice/site/-/components/${component}`,
    '/alice/site/-/versions',
    `/alice/site/-/versions/${version}`,
    '/alice/site/-/labels',
    `/alice/site/-/labels/${label}`,
    '/alice/site/-/milestones',
    `/alice/site/-/milestones/${milestone}`,
    `/alice/site/-/milestones/${milestone}/edit`,
  ]) {
    const { html, status } = await browser.open(path);
    t.equal(status, 200, path);
    t.match(html, path.endsWith('/2/history') ? /./ : /&lt;img/, path);
    t.notMatch(html, /onerror="|\u{202e}/u, path);
  }
});
