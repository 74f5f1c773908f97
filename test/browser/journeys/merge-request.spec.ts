// Two people at their browsers at the same time: one opens and merges a merge request, the other reviews it. Each sees
// the work of the other without loading the page again.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { body, write } from '#test/web/merge-pages';
import { startChromium } from '../../../tools/peers/chromium.ts';
import { signedIn } from './signed-in.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

const request = '/ada/engine/-/merges/1';
const api = '/repos/ada/engine';
const lines = (changed: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 12 }, (_, index) => `${changed[index + 1] ?? `line ${String(index + 1)}`}\n`).join('');

void t.test('a merge request from the first line to the merge', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'ada/engine', visibility: 'public' }] });
  await forge.user('bo');
  body(await forge.as('ada').put(`${api}/collaborators/bo`, { json: { role: 'write' } }));
  await write(forge, { by: 'ada', repository: 'ada/engine', branch: 'main', path: 'src/count.txt', content: lines() });
  const [ada, bo] = [await signedIn(browser, forge, 'ada'), await signedIn(browser, forge, 'bo')];
  const { page: author } = ada;
  const { page: reviewer } = bo;
  const rest = async (path: string): Promise<unknown> => body(await forge.as('ada').get(`${api}${path}`));

  await t.test('the author edits a file on a new branch and opens a merge request from it', async (t) => {
    await author.goto('/ada/engine/-/edit/main/src/count.txt');
    await author.getByLabel('Content').fill(lines({ 3: 'three', 4: 'four' }));
    await author.getByLabel('Message').fill('Write numbers as words');
    await author.locator('#new_branch').fill('words');
    await author.getByRole('button', { name: 'Commit changes' }).click();
    await author.waitForURL('**/-/compare/main...words');
    await author.getByRole('link', { name: 'Merge requests' }).click();
    await author.getByRole('link', { name: 'New merge request' }).click();
    await author.getByLabel('From').selectOption('words');
    await author.getByRole('button', { name: 'Compare' }).click();
    await author.waitForURL('**/-/merges/new?source_branch=words*');
    await author.getByLabel('Description').fill('It reads better.');
    await author.getByText('Reviewers, assignees').click();
    await author.getByLabel('Reviewers').fill('bo');
    await author.getByRole('button', { name: 'Open merge request' }).click();
    await author.waitForURL(`**${request}`);
    t.match(await rest('/merges/1'), {
      title: 'Write numbers as words',
      description: 'It reads better.',
      source_branch: 'words',
      reviewers: [{ user: { username: 'bo' }, state: 'pending' }],
    });
  });

  await t.test('the reviewer finds it on the front page', async () => {
    await reviewer.goto('/');
    await reviewer.getByRole('link', { name: 'Write numbers as words' }).first().click();
    await reviewer.waitForURL(`**${request}`);
    await reviewer.getByRole('link', { name: 'Changes' }).click();
    await reviewer.waitForURL(`**${request}/changes`);
  });

  const typed = 'I am still writing this.';
  await t.test('comments and a review appear at the author, whose half a comment is kept', async (t) => {
    await author.getByLabel('Comment or review').fill(typed);
    await author.getByRole('heading', { level: 1 }).click();

    await reviewer.getByRole('link', { name: 'Comment on line 3', exact: true }).last().click();
    await reviewer.getByRole('textbox', { name: 'Comment on line 3' }).fill('Why not **3**?');
    await reviewer.locator('#line-form').getByRole('button', { name: 'Comment' }).click();
    await reviewer.locator('.thread').getByText('Why not').waitFor();
    await author.locator('#merge-timeline').getByText('Why not').waitFor();

    await reviewer.getByRole('link', { name: 'Comment on line 4', exact: true }).last().click();
    await reviewer.getByLabel('From line').fill('3');
    await reviewer.getByRole('textbox', { name: 'Comment on line 4' }).fill('And these two?');
    await reviewer.locator('#line-form').getByRole('button', { name: 'Comment' }).click();
    await reviewer.getByText('on lines 3 to 4').waitFor();
    await author.locator('#merge-timeline').getByText('And these two?').waitFor();

    await reviewer.getByLabel('Comment or review').fill('Please keep the digits.');
    await reviewer.getByRole('button', { name: 'Ask for changes' }).click();
    await reviewer.waitForURL(`**${request}#review-*`);
    await author.getByText('Please keep the digits.').waitFor();
    await author.locator('#merge-box').getByText('Reviews are missing').waitFor();
    t.equal(await author.getByLabel('Comment or review').inputValue(), typed);
    t.match(await rest('/merges/1/comments'), [
      { file_path: 'src/count.txt', line_number: 3 },
      { file_path: 'src/count.txt', line_number: 4, start_line: 3 },
    ]);
    t.match(await rest('/merges/1'), { reviewers: [{ state: 'changes_requested' }] });
  });

  await t.test('the author answers in the thread and sends the comment', async (t) => {
    await author.getByRole('button', { name: 'Comment', exact: true }).click();
    await author.waitForURL(`**${request}#comment-*`);
    await author.locator('#merge-timeline').getByText(typed).waitFor();
    await reviewer.locator('#merge-timeline').getByText(typed).waitFor();
    await author.getByRole('link', { name: 'Changes' }).click();
    await author.getByRole('link', { name: 'Reply' }).first().click();
    await author.getByRole('textbox', { name: 'Comment on line 3' }).fill('Good point.');
    await author.locator('#line-form').getByRole('button', { name: 'Comment' }).click();
    await author.locator('.thread').first().getByText('Good point.').waitFor();
    await reviewer.locator('#merge-timeline').getByText('Good point.').waitFor();
    t.match(await rest('/merges/1/comments'), { length: 4 });
  });

  await t.test('the reviewer sees the new head, and only what changed since the review', async (t) => {
    await reviewer.getByRole('link', { name: 'Changes' }).click();
    await reviewer.waitForURL(`**${request}/changes`);
    const content = lines({ 3: 'three', 4: 'four', 9: '9' });
    await write(forge, { by: 'ada', repository: 'ada/engine', branch: 'words', path: 'src/count.txt', content });
    await reviewer.locator('.diff tr.added').getByText('9', { exact: true }).waitFor();
    const more = { branch: 'words', path: 'src/more.txt', content: 'more\n' };
    await write(forge, { by: 'ada', repository: 'ada/engine', ...more });
    await reviewer.locator('.diff tr.added').getByText('more', { exact: true }).waitFor();
    await reviewer.getByRole('navigation', { name: 'Files' }).getByText('src/more.txt').waitFor();
    await reviewer.getByRole('link', { name: 'Since my review' }).click();
    await reviewer.waitForURL('**/changes?since=*');
    t.strictSame(await reviewer.locator('.diff tr.added .line').allInnerTexts(), ['9', 'more']);
  });

  await t.test('the reviewer approves, and the author sees it', async (t) => {
    await author.goto(request);
    await reviewer.getByRole('button', { name: 'Approve' }).click();
    await reviewer.waitForURL(`**${request}*`);
    await author.locator('#merge-box').getByText('Approved by').waitFor();
    t.match(await rest('/merges/1'), { reviewers: [{ state: 'approved' }] });
  });

  await t.test('the merge stays bound to the head that was looked at, and a note names the change', async (t) => {
    const sha = author.locator('.merge-form input[name="sha"]');
    const seen = await sha.inputValue();
    const more = { branch: 'words', path: 'src/late.txt', content: 'late\n' };
    await write(forge, { by: 'ada', repository: 'ada/engine', ...more });
    await author.getByText('The source branch has changed since you opened this page').waitFor();
    t.equal(await sha.inputValue(), seen);
    await author.goto(request);
    t.not(await sha.inputValue(), seen);
    t.notOk(await author.getByText('The source branch has changed').isVisible());
    await reviewer.goto(request);
    await reviewer.getByRole('button', { name: 'Approve' }).click();
    await author.locator('#merge-box').getByText('Approved by').waitFor();
  });

  await t.test('choices that are not sent yet are kept while the page changes', async (t) => {
    await author.getByLabel('Strategy').selectOption('Squash into one commit');
    await author.getByLabel('Delete words afterwards').check();
    await author.getByRole('heading', { level: 1 }).click();
    await reviewer.getByLabel('Comment or review').fill('Nice.');
    await reviewer.getByRole('button', { name: 'Comment', exact: true }).click();
    await author.locator('#merge-timeline').getByText('Nice.').waitFor();
    t.equal(await author.getByLabel('Strategy').inputValue(), 'squash');
    t.ok(await author.getByLabel('Delete words afterwards').isChecked());
  });

  await t.test('the author merges as one commit and deletes the source, and the reviewer sees it', async (t) => {
    await author.getByText('Message and author').click();
    await author.getByLabel('Message of the commit').fill('Words for numbers');
    await author.getByRole('button', { name: 'Merge', exact: true }).click();
    await author.locator('#merge-box').getByText('Merged into').waitFor();
    await reviewer.locator('#merge-head').getByText('Merged', { exact: true }).waitFor();
    await reviewer.locator('#merge-box').getByText('Merged into').waitFor();
    t.match(await rest('/merges/1'), { state: 'merged' });
    t.match(await rest('/commits?per_page=1'), [{ message: 'Words for numbers' }]);
    t.notMatch(JSON.stringify(await rest('/branches')), /"words"/);
  });

  t.strictSame(ada.problems(), []);
  t.strictSame(bo.problems(), []);
});
