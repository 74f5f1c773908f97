// Tests the pages of merge requests: the list, opening one, its overview with all forms, and who may see and use them.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { body, hostile, offers, open, post, send, write } from './merge-pages.ts';

const site = '/alice/site/-/merges';
const api = '/repos/alice/site/merges';

void t.test('merge requests in a browser', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }] });
  const alice = forge.as('alice');
  const [bob] = [await forge.user('bob'), await forge.user('carol')];
  await alice.put('/repos/alice/site/collaborators/bob', { json: { role: 'write' } });
  await write(forge, { branch: 'main', path: 'README.md', content: 'one\n' });
  for (const name of ['topic', 'second', 'third'])
    await write(forge, { branch: name, path: `${name}.txt`, content: `${name}\n` });
  const browser = forge.browser('alice');

  await t.test('an empty list names the next step', async (t) => {
    const { html } = await browser.open(site);
    t.match(html, /There is no merge request yet[^]*git push origin/);
    for (const key of ['gc', 'gi', 'gm']) t.match(html, `data-key="${key}"`, 'a key of a tab');
    t.match((await forge.browser().open(site)).html, /Sign in to open one/);
  });

  await t.test('a prefilled form is shown and not sent by itself', async (t) => {
    const prepared = body<{ url: string }>(
      await alice.post(`${api}/prepare-url`, {
        json: {
          source_branch: 'topic',
          target_branch: 'main',
          title: 'From a template',
          description: 'Why',
          draft: true,
        },
      }),
    );
    const page = await browser.open(prepared.url);
    t.equal(page.status, 200);
    t.match(page.html, /value="From a template"/);
    t.match(page.html, /id="draft"[^>]*checked/);
    t.match(page.html, /Write topic\.txt/, 'the commits');
    t.match(page.html, /topic\.txt<\/bdi>/, 'the files');
    t.equal(body<{ total: number }>(await alice.get(api)).total, 0);
  });

  await t.test('a request is opened, and a refused form keeps what was typed', async (t) => {
    const page = await browser.open(`${site}/new?source_branch=topic&target_branch=main`);
    const refused = await send(browser, page, '/merges/new', { title: 'Typed', reviewers: 'bob nobody-here' });
    t.equal(refused.status, 422);
    t.match(refused.html, /value="Typed"/);
    t.match(refused.html, /value="bob nobody-here"/);
    t.match(refused.html, /names &quot;nobody-here&quot;/);
    const opened = await send(browser, refused, '/merges/new', {
      reviewers: 'bob',
      description: 'Because',
      draft: 'true',
    });
    t.equal(opened.path, `${site}/1`);
    t.match(body(await alice.get(`${api}/1`)), {
      title: 'Typed',
      description: 'Because',
      is_draft: true,
      source_branch: 'topic',
      reviewers: [{ user: { username: 'bob' }, state: 'pending' }],
    });
    const again = await browser.open(`${site}/new?source_branch=topic&target_branch=main`);
    t.match(again.html, /have an open merge request/);
    t.notOk(offers(again, '/merges/new'));
    t.match((await browser.open(`${site}/new?source_branch=none`)).html, /There is no such branch/);
  });

  await t.test('the box lists what is missing and who can do it', async (t) => {
    const page = await browser.open(`${site}/1`);
    t.match(page.html, /It is a draft[\s\S]*The author, or somebody who can push here/);
    t.match(page.html, /Reviews are missing[\s\S]*Approval by bob/);
    t.match(page.html, /No conflicts with/);
    t.notOk(offers(page, '/1/merge'), 'a blocked merge is not offered');
    t.match(page.html, /data-live="\/ws\/repos\/alice\/site\/merges\/1"/);
    for (const region of ['head', 'timeline', 'box', 'form', 'reviewers', 'labels', 'state'])
      t.match(page.html, new RegExp(`id="merge-${region}" data-region`), region);
    const ready = await send(browser, page, '/1/state', { change: 'ready' });
    t.notMatch(ready.html, /It is a draft/);
    t.match(body(await alice.get(`${api}/1`)), { is_draft: false });
  });

  await t.test('comments and reviews are in the timeline', async (t) => {
    const reviewer = forge.browser('bob');
    const page = await reviewer.open(`${site}/1`);
    const empty = await send(reviewer, page, '/1/talk', { verdict: 'comment', body: ' ' });
    t.equal(empty.status, 422);
    const commented = await send(reviewer, page, '/1/talk', { verdict: 'comment', body: 'A question & <b>' });
    t.match(commented.html, /<p>A question &amp;/, 'shown as it was typed');
    const asked = await send(reviewer, commented, '/1/talk', { verdict: 'changes_requested', body: 'Not yet' });
    t.match(asked.html, /asked for changes/);
    t.match(asked.html, /Not yet/);
    await write(forge, { branch: 'topic', path: 'more.txt', content: 'more\n' });
    await forge.drained();
    const stale = await send(reviewer, asked, '/1/talk', { verdict: 'approved', body: 'Good' });
    t.equal(stale.status, 422, 'another head than the one that was looked at');
    t.match(stale.html, /The merge request has another head/);
    t.match(stale.html, />\nGood<\/textarea/);
    const approved = await send(reviewer, await reviewer.open(`${site}/1`), '/1/talk', { verdict: 'approved' });
    t.match(approved.html, /approved these changes/);
    t.match(body(await alice.get(`${api}/1`)), { reviewers: [{ state: 'approved' }] });
    const [comment] = body<readonly { id: string }[]>(await alice.get(`${api}/1/comments`));
    t.match(approved.html, new RegExp(`id="comment-${comment?.id ?? ''}"`));
  });

  await t.test('a comment is edited, resolved and deleted by its author', async (t) => {
    const [comment] = body<readonly { id: string }[]>(await alice.get(`${api}/1/comments`));
    const path = `${site}/1/comments/${comment?.id ?? ''}`;
    const writer = forge.browser('bob');
    const page = await writer.open(path);
    t.match(page.html, />\nA question &amp; &lt;b&gt;<\/textarea/);
    t.equal((await send(writer, page, '/edit', { body: '' })).status, 422);
    t.match((await send(writer, page, '/edit', { body: 'Changed' })).html, /Changed/);
    t.equal(await post(writer, forge, `${path}/resolve`, { resolved: 'true' }), 303);
    t.match(body(await alice.get(`${api}/1/comments`)), [{ body: 'Changed', resolved: true }]);
    t.equal((await forge.browser('carol').open(path)).status, 404, 'for others there is no such page');
    t.equal(await post(forge.browser('carol'), forge, `${path}/delete`, {}), 403);
    t.equal((await browser.open(`${site}/1/comments/none`)).status, 404);
    t.equal((await send(writer, await writer.open(path), '/delete')).path, `${site}/1`);
    t.strictSame(body(await alice.get(`${api}/1/comments`)), []);
  });

  await t.test('members are changed in the side column, title and description on their page', async (t) => {
    const label = body<{ id: string }>(
      await alice.post('/repos/alice/site/labels', { json: { name: 'bug', color: 'ff0000' } }),
    );
    const milestone = body<{ id: string }>(
      await alice.post('/repos/alice/site/milestones', { json: { title: 'Soon' } }),
    );
    const page = await browser.open(`${site}/1`);
    const members = async (part: string, values: Readonly<Record<string, string>>) =>
      send(
        browser,
        { ...page, forms: page.forms.filter(({ fields }) => fields['part'] === part) },
        '/1/members',
        values,
      );
    t.match((await members('labels', { labels: label.id })).html, /<bdi>bug<\/bdi>/);
    t.equal((await members('milestone', { milestone: milestone.id })).status, 200);
    t.equal((await members('assignees', { assignees: 'alice, bob' })).status, 200);
    const unknown = await members('assignees', { assignees: 'nobody-here' });
    t.equal(unknown.status, 422);
    t.match(unknown.html, /value="nobody-here"/);
    t.match((await members('reviewers', { reviewers: 'bob' })).html, /review asked/, 'asks again');
    const edit = await browser.open(`${site}/1/edit`);
    t.equal((await send(browser, edit, '/edit', { title: '' })).status, 422);
    t.equal((await send(browser, edit, '/edit', { title: 'New title', target_branch: 'none' })).status, 422);
    t.match((await send(browser, edit, '/edit', { title: 'New title', description: 'New text' })).html, /New title/);
    t.match(body(await alice.get(`${api}/1`)), {
      title: 'New title',
      description: 'New text',
      labels: [{ name: 'bug' }],
      milestone: { title: 'Soon' },
      assignees: [{ username: 'alice' }, { username: 'bob' }],
      reviewers: [{ user: { username: 'bob' }, state: 'pending' }],
    });
  });

  await t.test('the list has filters, counts, labels and reviewers', async (t) => {
    await open(forge, { source_branch: 'second', title: hostile, draft: true });
    const list = async (query: string): Promise<string> => (await browser.open(`${site}?${query}`)).html;
    const all = await list('');
    t.match(all, /New title[\s\S]*<bdi>bug<\/bdi>[\s\S]*Soon[\s\S]*1 pending/);
    t.match(all, />2 open<\/a>/);
    t.match(all, />0 merged<\/a>/);
    const found = async (query: string): Promise<readonly string[]> =>
      [...(await list(query)).matchAll(/!(\d+) · opened by/g)].map(([, number = '']) => number);
    t.strictSame(await found(''), ['2', '1']);
    t.strictSame(await found('sort=oldest'), ['1', '2']);
    for (const query of ['label=BUG', 'q=new+TITLE', 'assignee=bob', 'reviewer=bob', 'draft=false'])
      t.strictSame(await found(query), ['1'], query);
    t.strictSame(await found('draft=true'), ['2']);
    t.strictSame(await found('author=alice'), ['2', '1']);
    for (const query of [
      'author=bob',
      'author=nobody-here',
      'label=none',
      'state=merged',
      'milestone=00000000-0000-4000-8000-000000000000',
    ])
      t.strictSame(await found(query), [], query);
    t.match(await list('author=bob'), /No merge request matches the filters/);
    t.match(await list('per_page=1'), /Page 1 of 2/);
  });

  await t.test('what waits for me is on the dashboard', async (t) => {
    t.match((await browser.open('/')).html, /My merge requests[\s\S]*New title/);
    t.match((await browser.open('/')).html, /Reviews asked of me[^]*No review is asked of you/);
    t.match((await forge.browser('bob').open('/')).html, /Reviews asked of me[\s\S]*New title/);
    t.notMatch((await forge.browser().open('/')).html, /New title/);
  });

  await t.test('merging: by strategy, bound to the head, and the branch is deleted afterwards', async (t) => {
    const reviewer = forge.browser('bob');
    await send(reviewer, await reviewer.open(`${site}/1`), '/1/talk', { verdict: 'approved' });
    const page = await browser.open(`${site}/1`);
    t.match(page.html, /Approved by/);
    const changed = await send(browser, page, '/1/merge', {
      strategy: 'squash',
      sha: '0'.repeat(40),
      commit_message: 'Kept',
    });
    t.equal(changed.status, 422);
    t.match(changed.html, /The merge request has another head/);
    t.match(changed.html, />\nKept<\/textarea/);
    const merged = await send(browser, page, '/1/merge', { strategy: 'squash', commit_message: 'As one' });
    t.match(merged.html, /merged it into/);
    t.match(body(await alice.get(`${api}/1`)), { state: 'merged' });
    t.match(body(await alice.get('/repos/alice/site/commits?per_page=1')), [{ message: 'As one' }]);
    t.ok(offers(merged, '/1/delete-source'));
    t.notOk(offers(await forge.browser('carol').open(`${site}/1`), '/1/delete-source'));
    t.notOk(offers(await send(browser, merged, '/1/delete-source'), '/1/delete-source'));
    t.notMatch(JSON.stringify((await alice.get('/repos/alice/site/branches')).body), /"topic"/);
  });

  await t.test('closing and reopening', async (t) => {
    const closed = await send(browser, await browser.open(`${site}/2`), '/2/state', { change: 'close' });
    t.match(closed.html, /It is closed/);
    t.match((await send(browser, closed, '/2/state', { change: 'reopen' })).html, /It is a draft/);
    t.match(body(await alice.get(`${api}/2`)), { state: 'open' });
  });

  await t.test('hostile texts are escaped on every page', async (t) => {
    const name = '<img src=x>\u{202e}'.replaceAll(' ', '');
    await write(forge, {
      branch: 'third',
      path: `${hostile.replaceAll('/', '')}.txt`,
      content: `${hostile}\n${'x'.repeat(1_000_000)}\n`,
    });
    const number = await open(forge, { source_branch: 'third', title: hostile, description: hostile });
    body(await alice.post(`${api}/${number}/comments`, { json: { body: hostile } }));
    for (const path of [
      '',
      '/changes',
      '/changes?view=split',
      '/commits',
      '/edit',
      `/changes?file=${encodeURIComponent(name)}`,
    ]) {
      const { html, status } = await browser.open(`${site}/${number}${path}`);
      t.equal(status, path.includes('file=') ? 404 : 200, path);
      t.notMatch(html, /onerror="|\u{202e}/u, path);
      t.ok(html.length < 200_000, path);
    }
    for (const path of [
      '/',
      site,
      `${site}?q=${encodeURIComponent(hostile)}&author=${encodeURIComponent(hostile)}`,
      `${site}/new?source_branch=${encodeURIComponent(hostile)}&title=${encodeURIComponent(hostile)}`,
    ])
      t.notMatch((await browser.open(path)).html, /<img|\u{202e}/u, path);
  });

  await t.test('readers may look, and change nothing that they may not', async (t) => {
    const reader = forge.browser('carol');
    const page = await reader.open(`${site}/2`);
    for (const action of ['/talk', '/state', '/members', '/merge', '/delete-source'])
      t.notOk(offers(page, action), action);
    t.match(page.html, /Comments and reviews are for people who can push/);
    t.equal((await reader.open(`${site}/2/edit`)).status, 404, 'the form that changes it is not shown');
    for (const [action, values] of [
      ['talk', { verdict: 'comment', body: 'No' }],
      ['state', { change: 'close' }],
      ['members', { part: 'labels' }],
      ['edit', { title: 'No' }],
      ['merge', { strategy: 'merge' }],
      ['changes/review', { verdict: 'approved' }],
    ] as const)
      t.equal(await post(reader, forge, `${site}/2/${action}`, values), 403, action);
    t.match(body(await alice.get(`${api}/2`)), { state: 'open', title: hostile });
    t.notMatch((await forge.browser().open(`${site}/2`)).html, /<form[^>]*method="post"[^>]*merges/);
    t.match(bob, { username: 'bob' });
  });
});

void t.test('pages of merge requests are for readers of the repository; for others they are missing', async (t) => {
  await using forge = await testHost([], {
    repositories: (['public', 'internal', 'private'] as const).map((name) => ({
      path: `alice/${name}`,
      visibility: name,
    })),
  });
  await forge.user('bob');
  for (const name of ['public', 'internal', 'private']) {
    const repository = `alice/${name}`;
    await write(forge, { repository, branch: 'main', path: 'a', content: 'a\n' });
    await write(forge, { repository, branch: 'topic', path: 'b', content: 'b\n' });
    await open(forge, { source_branch: 'topic' }, repository);
  }
  const pages = ['', '/1', '/1/commits', '/1/changes'];
  const statuses = (name: string, username?: string): Promise<readonly number[]> =>
    Promise.all(
      pages.map(async (page) => (await forge.browser(username).open(`/alice/${name}/-/merges${page}`)).status),
    );
  const [seen, missing] = [pages.map(() => 200), pages.map(() => 404)];
  t.strictSame(await statuses('public'), seen);
  t.strictSame(await statuses('internal'), missing);
  t.strictSame(await statuses('internal', 'bob'), seen);
  t.strictSame(await statuses('private', 'bob'), missing);
  t.strictSame(await statuses('private', 'alice'), seen);
  const signIn = await forge.browser().open('/alice/public/-/merges/new?source_branch=topic');
  t.match(signIn.path, /^\/-\/sign-in\?return_to=/);
  t.equal((await forge.browser('bob').open('/alice/private/-/merges/new')).status, 404);
  for (const none of ['/2', '/x', '/99999999999', '/1/comments/x', '/2/changes'])
    t.equal((await forge.browser('alice').open(`/alice/public/-/merges${none}`)).status, 404, none);
});
