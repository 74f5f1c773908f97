// In a real browser: an issue with all its fields, each of which is changed; then pages of issues by keyboard alone.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { body } from '#test/web/merge-pages';
import { startChromium } from '../../../tools/peers/chromium.ts';
import { signedIn } from './signed-in.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

const api = '/repos/ada/engine';
const issues = '/ada/engine/-/issues';

void t.test('issues', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'ada/engine', visibility: 'public' }] });
  await forge.user('bo');
  const post = async (path: string, json: object): Promise<unknown> =>
    body(await forge.as('ada').post(`${api}${path}`, { json }));
  body(await forge.as('ada').put(`${api}/collaborators/bo`, { json: { role: 'write' } }));
  for (const name of ['git', 'web']) await post('/labels', { name, color: '3f7fbf' });
  for (const title of ['1.4', '1.5']) await post('/milestones', { title });
  for (const name of ['transport', 'pages']) await post('/components', { name });
  for (const name of ['1.3.1', '1.3.2']) await post('/versions', { name });
  const [, type] = body<readonly { readonly id: string }[]>(await forge.as('ada').get('/issue-types'));
  for (const title of ['An epic', 'Another epic'])
    await post('/issues', { title, issue_type_id: type?.id, description: 'Large' });
  const ada = await signedIn(browser, forge, 'ada');
  const { page } = ada;
  const issue = async (): Promise<unknown> => body(await forge.as('ada').get(`${api}/issues/3`));
  const main = page.locator('main');
  const aside = page.locator('aside');

  await t.test('it is opened with all fields', async (t) => {
    await page.goto(issues);
    await page.getByRole('link', { name: /^New issue/ }).click();
    await page.getByLabel('Title').fill('Push of 2 GB stalls');
    await page.getByLabel('Description').fill('Behind a *proxy*.');
    await page.getByText('More', { exact: true }).click();
    await page.getByLabel('Status').selectOption('in_progress');
    await page.getByLabel('Priority').selectOption('high');
    await page.getByLabel('Story points').fill('5');
    await page.getByLabel('Input tokens').fill('1000');
    await page.getByLabel('Output tokens').fill('200');
    await page.getByLabel('transport').check();
    await page.getByRole('group', { name: 'Fixed in' }).getByLabel('1.3.2').check();
    await page.getByRole('group', { name: 'Affects' }).getByLabel('1.3.1').check();
    await page.getByLabel('Assumptions').fill('Enough disk');
    await page.getByLabel('Acceptance criteria').fill('It takes a minute');
    await page.getByLabel('Type').selectOption('Bug');
    await page.getByLabel('Assignees').fill('bo');
    await page.getByLabel('git', { exact: true }).check();
    await page.getByLabel('Milestone').selectOption('1.4');
    await page.getByLabel('Due date').fill('2026-03-01');
    await page.getByLabel('Parent').fill('#1');
    await page.getByRole('button', { name: 'Open issue' }).click();
    await page.waitForURL(`**${issues}/3`);
    t.match(await issue(), {
      title: 'Push of 2 GB stalls',
      description: 'Behind a *proxy*.',
      issue_type: { name: 'bug' },
      issue_status: 'in_progress',
      priority: 'high',
      story_points: 5,
      input_tokens: 1000,
      output_tokens: 200,
      components: [{ name: 'transport' }],
      fix_versions: [{ name: '1.3.2' }],
      affects_versions: [{ name: '1.3.1' }],
      assumptions: 'Enough disk',
      acceptance_criteria: 'It takes a minute',
      assignees: [{ username: 'bo' }],
      labels: [{ name: 'git' }],
      milestone: { title: '1.4' },
      due_date: '2026-03-01',
      parent: { number: 1 },
    });
    t.match(await main.innerText(), /Push of 2 GB stalls[^]*Behind a proxy\.[^]*Enough disk[^]*It takes a minute/);
  });

  /** Changes one part of the side column. */
  const change = async (title: string, fill: () => Promise<unknown>): Promise<void> => {
    const section = aside.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
    await section.locator('summary').click();
    await fill();
    const saved = page.waitForEvent('load');
    await section.getByRole('button', { name: /^(?:Save|Add link)$/ }).click();
    await saved;
  };

  await t.test('each part of the side column is changed', async (t) => {
    await change('Assignees', () => aside.getByLabel('Assignees').fill('ada bo'));
    await change('Labels', async () => {
      await aside.getByLabel('git', { exact: true }).uncheck();
      await aside.getByLabel('web', { exact: true }).check();
    });
    await change('Type', () => aside.getByLabel('Type').selectOption('Feature'));
    await change('Status', async () => {
      await aside.getByLabel('Status').selectOption('blocked');
      await aside.getByLabel('Priority').selectOption('critical');
    });
    await change('Milestone', () => aside.getByLabel('Milestone').selectOption('1.5'));
    await change('Due date', () => aside.getByLabel('Due date').fill('2026-04-01'));
    await change('Parent and sub-issues', () => aside.getByLabel('Parent').fill('2'));
    await change('Links', async () => {
      await aside.getByLabel('This issue').selectOption('blocks');
      await aside.getByLabel('Issue', { exact: true }).fill('#1');
    });
    await change('Components', async () => {
      await aside.getByLabel('transport').uncheck();
      await aside.getByLabel('pages').check();
    });
    await change('Versions', async () => {
      await aside.getByRole('group', { name: 'Fixed in' }).getByLabel('1.3.2').uncheck();
      await aside.getByRole('group', { name: 'Affects' }).getByLabel('1.3.2').check();
    });
    await change('Estimate and tokens', async () => {
      await aside.getByLabel('Story points').fill('8');
      await aside.getByLabel('Input tokens').fill('');
      await aside.getByLabel('Output tokens').fill('400');
    });
    await aside.getByRole('button', { name: 'Stop watching' }).click();
    await aside.getByRole('button', { name: 'Watch', exact: true }).waitFor();
    t.match(await issue(), {
      issue_type: { name: 'feature' },
      issue_status: 'blocked',
      priority: 'critical',
      story_points: 8,
      input_tokens: null,
      output_tokens: 400,
      components: [{ name: 'pages' }],
      fix_versions: [],
      assignees: [{ username: 'ada' }, { username: 'bo' }],
      labels: [{ name: 'web' }],
      milestone: { title: '1.5' },
      due_date: '2026-04-01',
      parent: { number: 2 },
      watching: false,
    });
    t.match(body(await forge.as('ada').get(`${api}/issues/3/links`)), [{ type: 'blocks', target_number: 1 }]);
    await aside.getByRole('button', { name: 'Remove the link to #1' }).click();
    await aside.getByRole('button', { name: 'Remove the link to #1' }).waitFor({ state: 'detached' });
    t.strictSame(body(await forge.as('ada').get(`${api}/issues/3/links`)), []);
  });

  await t.test('a comment is written and edited, and the description keeps its history', async (t) => {
    await main.getByLabel('Comment').fill('I can **reproduce** it.');
    await main.getByRole('button', { name: 'Comment', exact: true }).click();
    await main.locator('article strong').getByText('reproduce').waitFor();
    await main.locator('article', { hasText: 'reproduce' }).getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Comment').fill('I can _always_ reproduce it.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`**${issues}/3#comment-*`);
    await main.locator('article em').getByText('always').waitFor();
    t.match(body(await forge.as('ada').get(`${api}/issues/3/comments`)), [{ body: 'I can _always_ reproduce it.' }]);
    await main.locator('a[data-key=e]').click();
    await page.getByLabel('Description').fill('Behind a *buffering* proxy.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`**${issues}/3`);
    await main.getByRole('link', { name: 'edited', exact: true }).click();
    await main.locator('.rows a').first().click();
    t.match(await main.locator('.diff tr.removed .line').innerText(), 'Behind a *proxy*.');
    t.match(await main.locator('.diff tr.added .line').innerText(), 'Behind a *buffering* proxy.');
  });

  await t.test('it is locked, closed with a comment and reopened', async (t) => {
    await page.goto(`${issues}/3`);
    await aside.getByRole('button', { name: 'Lock' }).click();
    await aside.getByRole('button', { name: 'Unlock' }).waitFor();
    t.match(await issue(), { locked: true });
    await main.getByLabel('Comment').fill('Done.');
    await main.getByRole('button', { name: 'Close', exact: true }).click();
    await main.getByRole('button', { name: 'Reopen', exact: true }).waitFor();
    t.match(await issue(), { state: 'closed', comments_count: 2 });
    await main.getByRole('button', { name: 'Reopen', exact: true }).click();
    await main.getByRole('button', { name: 'Close', exact: true }).waitFor();
    t.match(await issue(), { state: 'open' });
  });

  await t.test('by keyboard alone', async (t) => {
    const { keyboard } = page;
    await page.goto('/ada/engine');
    await keyboard.press('g');
    await keyboard.press('i');
    await page.waitForURL(`**${issues}`);
    const focused = () => page.evaluate('document.activeElement.innerText || document.activeElement.name');
    await keyboard.press('j');
    t.match(await focused(), /Push of 2 GB stalls/);
    await keyboard.press('j');
    t.match(await focused(), /Another epic/);
    await keyboard.press('k');
    await keyboard.press('/');
    t.equal(await focused(), 'q');
    await keyboard.type('epic j');
    t.equal(await page.getByRole('searchbox').inputValue(), 'epic j', 'keys are text in a field');
    await keyboard.press('Backspace');
    await keyboard.press('Backspace');
    await keyboard.press('Enter');
    await page.waitForURL(/\bq=epic\b/);
    await keyboard.press('j');
    await keyboard.press('Enter');
    await page.waitForURL(`**${issues}/2`);
    let presses = 0;
    while ((await focused()) !== 'body' && presses < 80) {
      await keyboard.press('Tab');
      presses += 1;
    }
    t.equal(await focused(), 'body', 'Tab reaches the comment');
    await keyboard.type('Typed by hand');
    await keyboard.press('Control+Enter');
    await main.locator('article').getByText('Typed by hand').waitFor();
    t.match(body(await forge.as('ada').get(`${api}/issues/2/comments`)), [{ body: 'Typed by hand' }]);
  });

  t.strictSame(ada.problems(), []);
});
