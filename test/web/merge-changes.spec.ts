// Tests the page of the changes of a merge request: lines, comments on them, reviews, bounds, and requests from forks.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { body, offers, open, post, send, write } from './merge-pages.ts';

const site = '/alice/site/-/merges';
const api = '/repos/alice/site/merges';

const lines = (count: number, change: (line: number) => string = (line) => `line ${line}`): string =>
  Array.from({ length: count }, (_, index) => `${change(index + 1)}\n`).join('');

/** Without white space between elements. */
const dense = (html: string): string => html.replaceAll(/\s+/g, ' ');

void t.test('changes in a browser', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }] });
  const alice = forge.as('alice');
  await forge.user('bob');
  await alice.put('/repos/alice/site/collaborators/bob', { json: { role: 'write' } });
  await write(forge, { branch: 'main', path: 'src/a b.txt', content: lines(60) });
  await write(forge, {
    branch: 'topic',
    path: 'src/a b.txt',
    content: lines(60, (line) => (line === 10 ? 'ten' : line === 50 ? '  line   50' : `line ${line}`)),
  });
  await write(forge, { branch: 'topic', path: 'logo.png', content: 'PNG\0\0' });
  await open(forge, { source_branch: 'topic', title: 'Ten' });
  const browser = forge.browser('bob');
  const changes = `${site}/1/changes`;

  await t.test('unified and side by side, with a file that is not shown', async (t) => {
    const unified = dense((await browser.open(changes)).html);
    t.match(unified, /<tr id="f\w+-L10" class="removed">.*line 10<\/td>.*<tr id="f\w+-R10" class="added">.*ten<\/td>/);
    for (const region of ['id="merge-bar" data-region', 'id="merge-files" data-region', 'class="diffs" data-regions'])
      t.match(unified, region, 'follows the head');
    t.match(unified, /logo\.png<\/bdi>.*A binary file is not shown/);
    t.match(dense((await browser.open(`${changes}?view=split`)).html), /<table class="lines split">/);
    for (const query of ['algorithm=histogram', 'algorithm=none', 'view=none', 'since=none'])
      t.equal((await browser.open(`${changes}?${query}`)).status, 200, query);
  });

  await t.test('changes of whitespace can be left out, and all lines of a file shown', async (t) => {
    t.match((await browser.open(changes)).html, />line 50<\/td>/);
    const without = (await browser.open(`${changes}?whitespace=ignore`)).html;
    t.notMatch(without, /line {3}50/);
    t.match(without, />ten<\/td>/);
    t.notMatch((await browser.open(changes)).html, />line 30<\/td>/);
    const { html } = await browser.open(`${changes}?file=src%2Fa+b.txt&full=1`);
    t.match(html, />line 30<\/td>/);
    t.notMatch(html, /logo\.png/);
    t.equal((await browser.open(`${changes}?file=none`)).status, 404);
  });

  await t.test('readers of the same lines see the links that each may use', async (t) => {
    const links = async (reader: typeof browser): Promise<number> =>
      (await reader.open(changes)).html.split('class="add"').length - 1;
    const all = await links(browser);
    t.ok(all > 10, 'a collaborator comments on lines');
    t.equal(await links(forge.browser()), 0, 'an anonymous reader does not');
    t.equal(await links(browser), all);
  });

  await t.test(
    'without such characters of users, the page has none above U+00FF, so that long ones are short',
    async (t) => {
      t.notMatch((await browser.open(changes)).html, /[\u{100}-\u{10ffff}]/u);
    },
  );

  await t.test('a link opens the form for a comment on a line, and a reply is in the same thread', async (t) => {
    const { html } = await browser.open(changes);
    const [, href = ''] = /class="add"\s+href="([^"]*R%3A10#[^"]*)"/.exec(html) ?? [];
    const form = await browser.open(href.replaceAll('&amp;', '&'));
    t.match(form.html, /Comment on line 10/);
    const refused = await send(browser, form, '/changes/comments', { body: ' ' });
    t.equal(refused.status, 422);
    t.match(refused.html, /Must not be empty/);
    const commented = await send(browser, form, '/changes/comments', { body: 'Why ten?' });
    t.equal(commented.path, changes);
    t.match(dense(commented.html), /ten<\/td>.*<tr class="talk">.*Why ten\?/);
    t.match(body(await alice.get(`${api}/1/comments`)), [
      { file_path: 'src/a b.txt', line_number: 10, body: 'Why ten?' },
    ]);
    const [, reply = ''] = /reply" href="([^"]*)"/.exec(dense(commented.html)) ?? [];
    const author = forge.browser('alice');
    const replied = await send(author, await author.open(reply.replaceAll('&amp;', '&')), '/changes/comments', {
      body: 'Because',
    });
    t.match(dense(replied.html), /<div class="thread">.*Why ten\?.*author<\/span>.*Because.*<\/div>/);
    const range = await author.open(`${changes}?comment=${encodeURIComponent('src/a b.txt:R:9-11')}`);
    t.match(dense(range.html), /name="start_line" type="number" min="1" max="11" value="9"/);
    const wrong = await send(author, range, '/changes/comments', { body: 'Kept', start_line: '12' });
    t.equal(wrong.status, 422);
    t.match(wrong.html, />\nKept<\/textarea/);
    t.match((await send(author, range, '/changes/comments', { body: 'All three' })).html, /on lines 9 to 11/);
    t.match(body<readonly unknown[]>(await alice.get(`${api}/1/comments`)).at(-1), { start_line: 9, line_number: 11 });
    const onFile = await author.open(`${changes}?comment=${encodeURIComponent('src/a b.txt')}`);
    t.match((await send(author, onFile, '/changes/comments', { body: 'The file' })).html, /file-talk/);
  });

  await t.test('a thread is resolved where it is, and the page keeps its query', async (t) => {
    const page = await browser.open(`${changes}?view=split`);
    const resolved = await send(browser, page, '/resolve', { resolved: 'true' });
    t.equal(resolved.path, `${changes}?view=split`);
    t.match(resolved.html, /resolved<\/span>/);
  });

  await t.test('a comment follows its line to the next head; one without a line is listed apart', async (t) => {
    await write(forge, {
      branch: 'topic',
      path: 'src/a b.txt',
      content: `first\n${lines(60, (line) => (line === 10 ? 'ten' : `line ${line}`))}`,
    });
    await forge.drained();
    t.match(
      dense((await browser.open(changes)).html),
      /-R11" class="added">.*?ten<\/td>.*?<tr class="talk">.*?Why ten/,
    );
    await write(forge, { branch: 'topic', path: 'src/a b.txt', content: lines(60) });
    await write(forge, { branch: 'topic', path: 'other.txt', content: 'other\n' });
    await forge.drained();
    t.match(
      dense((await browser.open(changes)).html),
      /Comments on other lines and versions.*src\/a b\.txt<\/bdi ?>:10.*Why ten/,
    );
  });

  await t.test('a review is submitted from the page, and then only what changed since is shown', async (t) => {
    const page = await browser.open(changes);
    const reviewed = await send(browser, page, '/changes/review', { verdict: 'changes_requested', body: 'More' });
    t.match(reviewed.path, `${site}/1`);
    t.match(reviewed.html, /More/);
    t.match((await browser.open(changes)).html, /Nothing changed since your review/);
    await write(forge, { branch: 'topic', path: 'later.txt', content: 'later\n' });
    await forge.drained();
    const { html } = await browser.open(changes);
    const [, since = ''] = /href="([^"]*since=[0-9a-f]{40})"/.exec(html) ?? [];
    const later = (await browser.open(since)).html;
    t.match(later, /later\.txt/);
    t.notMatch(later, /other\.txt/);
    t.equal((await browser.open(`${changes}?since=${'0'.repeat(40)}`)).status, 404, 'a commit that no review names');
  });

  await t.test('files that were viewed are closed, by the URL alone', async (t) => {
    const { html } = await browser.open(changes);
    const [, viewed = ''] = /href="([^"]*viewed=(\w+)[^"]*)"/.exec(html) ?? [];
    t.match(dense((await browser.open(viewed)).html), /1 of \d of? ?viewed|1 of \d viewed/);
  });

  await t.test('a page has bounds: 5000 lines, and then a link to the page of the file', async (t) => {
    await write(forge, { branch: 'large', path: 'a.txt', content: lines(3000) });
    await write(forge, { branch: 'large', path: 'b.txt', content: lines(3000) });
    const number = await open(forge, { source_branch: 'large' });
    const { html } = await browser.open(`${site}/${number}/changes`);
    t.match(dense(html), /Its lines are not shown on this page\. <a href="[^"]*\?file=b\.txt"/);
    t.match((await browser.open(`${site}/${number}/changes?file=b.txt`)).html, />line 3000<\/td>/);
  });
});

void t.test('requests from forks', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }] });
  await write(forge, { branch: 'main', path: 'a.txt', content: 'a\n' });
  await forge.user('bob');
  await forge.user('carol');
  body(await forge.as('bob').post('/repos/alice/site/forks', { json: {} }));
  await write(forge, { by: 'bob', repository: 'bob/site', branch: 'fix', path: 'fix.txt', content: 'fix\n' });
  const author = forge.browser('bob');
  const chosen = await author.open(`${site}/new`);
  t.match(chosen.html, /<option value="bob:fix"/);
  t.notMatch((await forge.browser('carol').open(`${site}/new`)).html, /bob:fix/, 'forks of others are not offered');
  const compared = await author.open(`${site}/new?source_branch=bob:fix&target_branch=main`);
  t.match(compared.html, /Write fix\.txt/);
  const opened = await send(author, compared, '/merges/new', { title: 'A fix' });
  t.match(opened.html, /bob:fix/);
  t.ok(offers(opened, '/1/state'), 'the author may close it');
  t.notOk(offers(opened, '/1/talk'), 'reviews are for those who can push');
  const owner = forge.browser('alice');
  t.ok(offers(await owner.open(`${site}/1`), '/1/merge'));

  await forge.as('bob').patch('/repos/bob/site', { json: { visibility: 'private' } });
  await forge.drained();
  for (const username of ['carol', undefined]) {
    const { html } = await forge.browser(username).open(`${site}/1`);
    t.match(html, /<bdi>fix<\/bdi>/);
    t.notMatch(html, /bob:fix|\/bob\/site/, 'nothing about a fork that the caller may not read');
  }
  t.match((await owner.open(`${site}/1`)).html, /It no longer follows its source/);
  t.equal(await post(forge.browser('carol'), forge, `${site}/1/state`, { change: 'close' }), 403);
  t.match((await send(author, await author.open(`${site}/1`), '/1/state', { change: 'reopen' })).html, /No conflicts/);
});
