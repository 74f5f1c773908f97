// Tests the lists of issues, merge requests and milestones: filters by name, links that filter, and empty lists.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { body, open, write } from '../merge-pages.ts';

const task = '00000000-0000-4000-8000-000000000003';
const api = '/repos/alice/site';
const base = '/alice/site/-';

void t.test('lists', async (t) => {
  await using forge = await testHost([], {
    repositories: [{ path: 'alice/site', visibility: 'public' }],
    users: ['bo'],
  });
  const alice = forge.as('alice');
  const bo = await forge.user('bo');
  const browser = forge.browser('alice');
  const anonymous = forge.browser();
  const page = async (path: string): Promise<string> => (await browser.open(`${base}/${path}`)).html;

  await t.test('an empty list names the next step', async (t) => {
    t.match(await page('issues'), /There is no issue yet[^]*Open the first one/);
    t.match((await anonymous.open(`${base}/issues`)).html, /There is no issue yet[^]*Sign in to open one/);
    t.match(await page('merges'), /There is no merge request yet[^]*git push origin/);
    t.match((await anonymous.open(`${base}/merges`)).html, /Sign in to open one/);
    t.match(await page('milestones'), /There is no milestone yet/);
  });

  const milestone = body<{ id: string }>(await alice.post(`${api}/milestones`, { json: { title: 'First' } }));
  body(await alice.post(`${api}/labels`, { json: { name: 'Bug & co', color: 'ff0000' } }));
  const issue = (title: string, more: object = {}) =>
    alice.post(`${api}/issues`, { json: { title, issue_type_id: task, ...more } });
  body(await issue('Leaks', { assignee_ids: [bo.id] }));
  body(await issue('Drips'));
  body(await alice.put(`${api}/collaborators/bo`, { json: { role: 'write' } }));
  await write(forge, { branch: 'main', path: 'README.md', content: 'one\n' });
  await write(forge, { branch: 'topic', path: 'a.txt', content: 'a\n' });
  await open(forge, { source_branch: 'topic', title: 'Repairs', reviewer_ids: [bo.id], assignee_ids: [bo.id] });

  await t.test('a name may have the @ of a mention', async (t) => {
    for (const query of ['assignee=@bo', 'assignee=%40BO', 'author=@alice&assignee=bo']) {
      t.match(await page(`issues?${query}`), /Leaks/, query);
      t.notMatch(await page(`issues?${query}`), />Drips</, query);
      t.match(await page(`merges?${query}`), /Repairs/, query);
    }
    t.match(await page('merges?reviewer=@bo'), /Repairs/);
    t.match(await page('merges?reviewer=@alice'), /No merge request matches/);
  });

  await t.test('links lead to the issues and requests that wait for the reader', async (t) => {
    const own = forge.browser('bo');
    const issues = (await own.open(`${base}/issues`)).html;
    t.match(issues, /href="\/alice\/site\/-\/issues\?assignee=bo" *>Assigned to me/);
    t.match(issues, /href="\/alice\/site\/-\/issues\?author=bo" *>Opened by me/);
    t.match((await own.open(`${base}/issues?assignee=bo`)).html, /aria-current="true">Assigned to me/);
    const merges = (await own.open(`${base}/merges?reviewer=bo`)).html;
    t.match(merges, /href="\/alice\/site\/-\/merges\?reviewer=bo" aria-current="true">Review asked of me/);
    t.match(merges, /<details class="disclosure" open[^]*name="reviewer"[^>]*value="bo"/, 'the filter is shown');
    t.notMatch((await anonymous.open(`${base}/issues`)).html, /Assigned to me/);
    t.notMatch((await anonymous.open(`${base}/merges`)).html, /Assigned to me/);
  });

  await t.test('empty filters do not count, and an empty state names the others', async (t) => {
    t.match(await page('merges?label=&author=&state=closed'), /No merge request is closed[^]*1 merge request in all/);
    t.match(await page('issues?label=&author=&state=closed'), /No issue is closed[^]*2 issues in all states/);
    t.match(await page('milestones?state=closed'), /No milestone is closed[^]*1 milestone in all states/);
    t.match(await page('milestones?state=all'), /<bdi>First<\/bdi>/);
    t.match(await page('merges?label=none'), /No merge request matches the filters/);
  });

  await t.test('labels of a merge request lead to the list, its milestone to its page', async (t) => {
    const [label] = body<readonly { id: string }[]>(await alice.get(`${api}/labels`));
    body(await alice.patch(`${api}/merges/1`, { json: { label_ids: [label?.id], milestone_id: milestone.id } }));
    const href = `${base}/merges?label=bug+%26+co`;
    for (const path of ['merges', 'merges/1']) t.match(await page(path), `href="${href}"`, path);
    t.match((await browser.open(href)).html, /Repairs/);
    t.match(await page('merges/1'), `href="${base}/milestones/${milestone.id}"`);
  });
});

void t.test('without the plugin "planning", labels and milestones are not offered', async (t) => {
  await using forge = await testHost([], {
    repositories: [{ path: 'alice/site', visibility: 'public' }],
    environment: { HEXFORGE_PLUGINS: '-planning' },
  });
  const browser = forge.browser('alice');
  await write(forge, { branch: 'main', path: 'README.md', content: 'one\n' });
  await write(forge, { branch: 'topic', path: 'a.txt', content: 'a\n' });
  await open(forge, { source_branch: 'topic' });
  body(await forge.as('alice').post(`${api}/issues`, { json: { title: 'Leaks', issue_type_id: task } }));
  for (const path of ['issues', 'issues/1', 'issues/new', 'merges', 'merges/1', 'merges/new?source_branch=topic']) {
    const { html, status } = await browser.open(`${base}/${path}`);
    t.equal(status, 200, path);
    t.notMatch(html, /name="label|>Labels?<|milestone/i, path);
  }
});

void t.test('without the plugin "issues", pages of planning do not lead to issues', async (t) => {
  await using forge = await testHost([], {
    repositories: [{ path: 'alice/site', visibility: 'public' }],
    environment: { HEXFORGE_PLUGINS: '-issues' },
  });
  const browser = forge.browser('alice');
  body(await forge.as('alice').post(`${api}/labels`, { json: { name: 'bug', color: 'ff0000' } }));
  const { id } = body<{ id: string }>(await forge.as('alice').post(`${api}/milestones`, { json: { title: 'First' } }));
  for (const path of ['labels', 'milestones', `milestones/${id}`]) {
    const { html, status } = await browser.open(`${base}/${path}`);
    t.equal(status, 200, path);
    t.notMatch(html, /\/-\/(?:issues|components|versions)/, path);
  }
});
