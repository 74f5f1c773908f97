// A session in a browser: it is renewed while pages are open in several tabs, and nothing private is left when it ends.
import t from 'tap';
import { fixedClock, testHost } from '#host/sdk/testing';
import { startChromium } from '../../../tools/peers/chromium.ts';
import { signIn, visitor } from '../visitor.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

const hour = 3_600_000;

void t.test('a session', async (t) => {
  // Browsers delete cookies by their own clock.
  const clock = fixedClock(new Date().toISOString());
  await using forge = await testHost([], {
    clock,
    config: { identity: { session_minutes: 5 } },
    repositories: ['ada/site'],
  });
  const who = await visitor(browser, forge.url);
  const { page, context } = who;
  await signIn(who, await forge.user('ada'));
  const access = async () => (await context.cookies()).find(({ name }) => name === 'svc_access_token');

  await t.test('a form that was typed for an hour is not lost, and another tab stays signed in', async (t) => {
    const other = await context.newPage();
    await other.goto('/ada/site');
    await page.goto('/ada/site/-/issues/new');
    await page.getByLabel('Title').fill('Typed for an hour');
    const before = await access();
    await forge.advance(hour);
    await context.clearCookies({ name: 'svc_access_token' });
    await Promise.all([other.reload(), page.getByRole('button', { name: 'Open issue' }).click()]);
    await page.waitForURL('**/ada/site/-/issues/1');
    await page.getByRole('heading', { name: 'Typed for an hour' }).waitFor();
    await other.getByText('This repository is empty').waitFor();
    const after = await access();
    t.ok(after !== undefined && after.value !== before?.value, 'the cookie of the session was renewed');
    t.match((await forge.as('ada').get('/repos/ada/site/issues/1')).body, { title: 'Typed for an hour' });
    await forge.advance(hour);
    await other.goto('/ada/site/-/settings');
    await other.getByLabel('Description').waitFor();
    await other.close();
  });

  await t.test('sign-out ends the session in every tab', async (t) => {
    const other = await context.newPage();
    await other.goto('/ada/site/-/settings');
    await other.getByLabel('Description').fill('Typed before the end');
    await page.goto('/ada/site/-/settings');
    const old = await context.cookies();
    await page.getByLabel('Account of ada').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${forge.url}/`);
    t.strictSame(
      (await context.cookies()).map(({ name }) => name).filter((name) => name.startsWith('svc_')),
      [],
    );
    await page.goBack();
    t.notMatch(
      await page.locator('main').innerText(),
      /General|Default branch/,
      'the back button shows no private page',
    );
    await other.getByRole('button', { name: 'Save', exact: true }).click();
    await other.getByRole('heading', { name: 'You are signed out' }).waitFor();
    t.notMatch((await forge.as('ada').get('/repos/ada/site')).body, { description: 'Typed before the end' });
    const thief = await browser.newContext({ baseURL: forge.url });
    await thief.addCookies(old);
    const stolen = await thief.newPage();
    t.equal((await stolen.goto('/ada/site'))?.status(), 404, 'the cookies of the session are dead');
    await thief.close();

    await signIn(who, await forge.user('ada'));
    await other.reload();
    await other.waitForURL('**/ada/site/-/settings');
    t.match(
      (await forge.as('ada').get('/repos/ada/site')).body,
      { description: 'Typed before the end' },
      'after another sign-in the form is sent again, as the page says',
    );
  });
  t.strictSame(who.problems(), []);
});
