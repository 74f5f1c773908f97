// Tests that pages show a token no more than REST does, and that a refused form names the reason.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { body, open, send, write } from '../merge-pages.ts';

const task = '00000000-0000-4000-8000-000000000003';
const api = '/repos/alice/site';
const base = '/alice/site/-';

void t.test('tokens that may read one part', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'private' }] });
  const alice = forge.as('alice');
  const { id: milestone } = body<{ id: string }>(await alice.post(`${api}/milestones`, { json: { title: 'First' } }));
  const { id: label } = body<{ id: string }>(
    await alice.post(`${api}/labels`, { json: { name: 'secret-label', color: 'ff0000' } }),
  );
  const json = { title: 'A secret issue', issue_type_id: task, milestone_id: milestone };
  body(await alice.post(`${api}/issues`, { json }));
  await write(forge, { branch: 'main', path: 'README.md', content: 'one\n' });
  await write(forge, { branch: 'topic', path: 'a.txt', content: 'a\n' });
  await open(forge, { source_branch: 'topic' });
  const shown = async (scopes: readonly string[], path: string): Promise<string> => {
    const token = forge.as('alice', { scopes });
    const answer = await token.request('GET', new URL(`${base}/${path}`, forge.url), {
      headers: { accept: 'text/html' },
    });
    t.equal(answer.status, 200, path);
    return String(answer.body);
  };

  t.match(await shown(['repo:read', 'issue:read'], `milestones/${milestone}`), 'A secret issue');
  t.notMatch(await shown(['repo:read'], `milestones/${milestone}`), 'A secret issue');
  for (const path of ['merges', 'merges/1']) {
    t.match(await shown(['repo:read', 'issue:read'], path), 'secret-label', path);
    t.notMatch(await shown(['repo:read'], path), 'secret-label', path);
  }
  t.match(await shown(['repo:read', 'issue:read'], 'issues'), 'value="' + milestone);
  t.notMatch(await shown(['issue:read'], 'issues'), 'value="' + milestone);

  body(await alice.patch(`${api}/merges/1`, { json: { label_ids: [label] } }));
  t.match(await shown(['repo:read'], 'merges/1'), 'secret-label', 'its own labels are part of a merge request');
});

void t.test('a refused form without a field shows the reason', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }] });
  const [alice, browser] = [forge.as('alice'), forge.browser('alice')];
  body(await alice.post(`${api}/issues`, { json: { title: 'Leaks', issue_type_id: task } }));
  const comment = body<{ id: string }>(await alice.post(`${api}/issues/1/comments`, { json: { body: 'Mine' } }));
  const [page, edit] = [
    await browser.open(`${base}/issues/1`),
    await browser.open(`${base}/issues/1/comments/${comment.id}`),
  ];
  const lock = { ...page, forms: page.forms.filter(({ fields }) => fields['part'] === 'lock') };
  const wrong = await send(browser, lock, '/1/fields', { locked: 'perhaps' });
  t.match(wrong, { status: 422, html: /role="alert"[^]*"locked"|role="alert"[^]*&quot;locked&quot;/ });
  t.match(await send(browser, page, '/1/watching', { watch: 'perhaps' }), { status: 422, html: /role="alert"/ });

  body(await alice.patch(`${api}/issues/1`, { json: { locked: true } }));
  const bo = forge.browser('bo');
  await forge.user('bo');
  const refused = await bo.submit(
    { ...page, forms: page.forms.filter(({ action }) => action.endsWith('/1/comments')) },
    { body: 'A comment that took me an hour' },
  );
  t.equal(refused.status, 403);
  t.match(refused.html, /role="alert"><b>The issue is locked/);
  t.match(refused.html, /readonly>\nA comment that took me an hour<\/textarea>/);

  body(await alice.delete(`${api}/issues/1/comments/${comment.id}`));
  const gone = await send(browser, edit, comment.id, { body: 'Another text' });
  t.match(gone, { status: 404, html: /readonly>\nAnother text<\/textarea>/ });
});

void t.test('a comment leads back to its place, and an anonymous reader to the sign-in page', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }] });
  const [alice, browser] = [forge.as('alice'), forge.browser('alice')];
  await write(forge, { branch: 'main', path: 'README.md', content: 'one\n' });
  const head = await write(forge, { branch: 'topic', path: 'a.txt', content: 'a\n' });
  await open(forge, { source_branch: 'topic' });
  body(await alice.post(`${api}/issues`, { json: { title: 'Leaks', issue_type_id: task } }));
  const first = body<{ id: string }>(await alice.post(`${api}/merges/1/comments`, { json: { body: 'One' } }));
  const onLine = body<{ id: string }>(
    await alice.post(`${api}/merges/1/comments`, {
      json: { body: 'Two', commit_sha: head, file_path: 'a.txt', line_number: 1 },
    }),
  );
  const linkTo = (html: string, id: string): string =>
    (new RegExp(`href="([^"]*/comments/${id}[^"]*)"`).exec(html)?.[1] ?? '').replaceAll('&amp;', '&');

  for (const [path, { id }] of [
    ['merges/1', first],
    ['merges/1/changes?view=split&whitespace=ignore', onLine],
  ] as const) {
    const form = await browser.open(linkTo((await browser.open(`${base}/${path}`)).html, id));
    t.match(form.html, `href="${base}/${path.replaceAll('&', '&amp;')}#comment-${id}"`, 'cancel');
    const saved = await send(browser, form, '/edit', { body: `Changed ${path}` });
    t.equal(saved.path, `${base}/${path}`);
    t.match(saved.html, new RegExp(`id="comment-${id}"[^]*Changed`));
  }
  const changes = `${base}/merges/1/changes?view=split`;
  const resolved = await send(browser, await browser.open(changes), `${onLine.id}/resolve`, { resolved: 'true' });
  t.equal(resolved.path, changes);
  const form = await browser.open(linkTo(resolved.html, onLine.id));
  t.equal((await send(browser, form, '/delete')).path, changes);

  for (let made = 0; made < 31; made += 1)
    body(await alice.post(`${api}/issues/1/comments`, { json: { body: `Comment ${made}` } }));
  const last = await browser.open(`${base}/issues/1?page=2`);
  const [, edit = ''] = /href="([^"]*\/comments\/[^"]*)"/.exec(last.html) ?? [];
  const editing = await browser.open(edit);
  t.match(editing.html, /href="\/alice\/site\/-\/issues\/1\?page=2#comment-/);
  t.match(await browser.submit(editing, { body: 'Changed' }), { path: `${base}/issues/1?page=2`, html: /Changed/ });

  for (const path of ['merges/1', 'issues/1'])
    t.match(
      (await forge.browser().open(`${base}/${path}`)).html,
      new RegExp(`sign-in\\?return_to=${encodeURIComponent(`${base}/${path}`)}">Sign in to comment`),
      path,
    );
});
