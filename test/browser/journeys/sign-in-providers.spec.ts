// Users sign in with an OpenID provider, a directory and a SAML identity provider, with and without scripts; they link
// and unlink identities, and the administrator configures and tests providers.
import t, { type Test } from 'tap';
import { startChromium } from '../../../tools/peers/chromium.ts';
import { startSlapd } from '../../../tools/peers/slapd.ts';
import { passwordOf } from '../../../tools/peers/slapd-seed.ts';
import { invalidHtml, look, signIn, type Visitor } from '../visitor.ts';
import { forgeWithProviders, names, type ForgeWithProviders } from './providers.ts';

const [browser, slapd] = await Promise.all([startChromium(), startSlapd()]);
t.teardown(() => Promise.all([browser.close(), slapd.remove()]));

const start = '/-/sign-in?return_to=%2F-%2Fkeys';

type Way = (who: Visitor, scripts: boolean) => Promise<void>;

const byOpenid: Way = ({ page }) => page.getByRole('link', { name: `Sign in with ${names.oidc}` }).click();

const byDirectory: Way = async ({ page }) => {
  await page.getByLabel('Username').fill('carol');
  await page.getByLabel('Password').fill(passwordOf('carol'));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};

const throughSaml: Way = async ({ page }, scripts) => {
  if (!scripts) await page.getByRole('button', { name: /^Continue as/ }).click();
};

/** The identity provider is another site, so its form is sent without the cookie of the started sign-in. */
const bySaml: Way = async (who, scripts) => {
  const secondStep = who.page.waitForRequest(/\/saml\/acs\?ticket=/);
  await who.page.getByRole('link', { name: `Sign in with ${names.saml}` }).click();
  await throughSaml(who, scripts);
  await secondStep;
};

const alert = ({ page }: Visitor): Promise<string> => page.getByRole('alert').innerText();

/** Checks the open page: how it looks, and its HTML. */
async function inspected(t: Test, who: Visitor, name: string): Promise<void> {
  await look(t, who, name);
  const text = await (await who.context.request.get(who.page.url())).text();
  t.strictSame(await invalidHtml(text), [], `HTML of ${name}`);
}

async function signingIn(t: Test, { forge, saml, visit }: ForgeWithProviders, scripts: boolean): Promise<void> {
  const who = await visit({ scripts });
  const { page, context } = who;

  for (const [username, by] of [
    ['ada', byOpenid],
    ['carol', byDirectory],
    ['sam', bySaml],
  ] as const)
    await t.test(`${username}, for the first time and again`, async (t) => {
      for (const time of ['for the first time', 'again']) {
        await context.clearCookies();
        await page.goto(start);
        await by(who, scripts);
        await page.waitForURL(`${forge.url}/-/keys`);
        t.equal(await page.getByLabel(`Account of ${username}`).count(), 1, time);
      }
    });

  await t.test('a name that is taken is refused in words', async (t) => {
    await forge.createUser('bo');
    saml.signIn('bo');
    await context.clearCookies();
    await page.goto(start);
    await bySaml(who, scripts);
    await page.waitForURL(`${forge.url}/-/sign-in?error=account_exists`);
    t.match(await alert(who), /is that of another account.*Sign in to that account with its own password/);
  });

  await t.test('its owner links the identity, signs in with it, and unlinks it', async (t) => {
    await signIn(who, { username: 'bo', password: 'password of bo' });
    await page.goto('/-/settings/identities');
    await page.getByText('No identity is linked').waitFor();
    await page.getByRole('button', { name: `Link ${names.down}` }).click();
    t.match(await alert(who), /"GitLab" does not work at the moment/);
    await page.getByRole('button', { name: `Link ${names.saml}` }).click();
    await throughSaml(who, scripts);
    await page.waitForURL(`${forge.url}/-/settings/identities?done=linked`);
    if (scripts) await inspected(t, who, 'a linked identity');
    await context.clearCookies();
    await page.goto(start);
    await bySaml(who, scripts);
    await page.waitForURL(`${forge.url}/-/keys`);
    t.equal(await page.getByLabel('Account of bo').count(), 1);
    await page.goto('/-/settings/identities');
    await page.getByText('Unlink…', { exact: true }).click();
    await page.getByRole('button', { name: 'Unlink', exact: true }).click();
    await page.getByText('No identity is linked').waitFor();
  });

  await t.test('a provider that is down', async (t) => {
    await context.clearCookies();
    await page.goto(start);
    await page.getByRole('link', { name: `Sign in with ${names.down}` }).click();
    await page.getByRole('heading', { name: `"${names.down}" does not work at the moment` }).waitFor();
    if (scripts) await inspected(t, who, 'the page of a provider that is down');
    await page.getByRole('main').getByRole('link', { name: 'sign-in page' }).click();
    await page.waitForURL(`${forge.url}${start}`);
    await byDirectory(who, scripts);
    await page.waitForURL(`${forge.url}/-/keys`);
    t.equal(await page.getByLabel('Account of carol').count(), 1);
  });

  await t.test('a directory that is down does not affect accounts with a password', async (t) => {
    await context.clearCookies();
    await slapd.stop();
    await page.goto(start);
    await byDirectory(who, scripts);
    t.match(await alert(who), /directory .* is not available.*Try again later/);
    await signIn(who, { username: 'bo', password: 'password of bo' });
    t.equal(await page.getByLabel('Account of bo').count(), 1);
    await slapd.start();
  });
  t.strictSame(who.problems(), []);
}

async function administration(t: Test, { forge, visit }: ForgeWithProviders): Promise<void> {
  const who = await visit();
  const { page } = who;
  const users = async () => (await (await forge.administrator()).get('/api/v1/admin/users')).body;
  await signIn(who, forge.admin);
  await page.goto('/-/admin/sign-in');
  await inspected(t, who, 'the list of providers');

  await t.test('changes the settings of a provider', async (t) => {
    await page.getByRole('main').getByRole('link', { name: names.oidc }).click();
    const issuer = page.getByLabel('The issuer');
    const before = await issuer.inputValue();
    await issuer.fill('http://id.example.com');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Must be a URL').waitFor();
    t.equal(await issuer.getAttribute('aria-invalid'), 'true');
    await issuer.fill(before);
    await page.getByLabel('The name').fill('Staff of Example');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings are saved').waitFor();
    await page.getByRole('heading', { name: 'Staff of Example', level: 1 }).waitFor();
  });

  await t.test('checks it, and tests a sign-in, which signs nobody in', async (t) => {
    await page.getByRole('link', { name: 'Check the provider' }).click();
    await page.getByRole('row', { name: /Token endpoint/ }).waitFor();
    await inspected(t, who, 'a checked provider');
    const before = await users();
    await page.getByRole('button', { name: 'Test sign-in' }).click();
    await page.getByRole('heading', { name: 'Last test' }).waitFor();
    t.match(await page.getByRole('main').innerText(), /would lead to the account "ada"/);
    await inspected(t, who, 'a tested provider');
    await page.goto('/-/admin/sign-in/gitlab');
    await page.getByRole('button', { name: 'Test sign-in' }).click();
    t.match(await alert(who), /"GitLab" does not work at the moment/);
    t.strictSame(await users(), before);
  });

  await t.test('tests a directory', async (t) => {
    await page.goto('/-/admin/sign-in/ldap');
    await inspected(t, who, 'a directory');
    await page.getByLabel('Username').fill('dora');
    await page.getByLabel('Password').fill(passwordOf('dora'));
    await page.getByRole('button', { name: 'Test sign-in' }).click();
    await page.getByRole('heading', { name: /^Test of/ }).waitFor();
    t.match(await page.getByRole('main').innerText(), /would create the account "dora"/);
    await look(t, who, 'a tested directory');
  });
  t.strictSame(who.problems(), []);
}

/** An account that came from a provider has no password at first. */
async function firstPassword(t: Test, { forge, visit }: ForgeWithProviders): Promise<void> {
  const who = await visit();
  const { page, context } = who;
  const unlink = async (): Promise<void> => {
    await page.goto('/-/settings/identities');
    await page.getByText('Unlink…', { exact: true }).click();
    await page.getByRole('button', { name: 'Unlink', exact: true }).click();
  };
  await page.goto(start);
  await inspected(t, who, 'the sign-in page with providers');
  await byOpenid(who, true);
  await page.waitForURL(`${forge.url}/-/keys`);

  await t.test('keeps its last way in', async (t) => {
    await unlink();
    t.match(await alert(who), /only way to sign in/);
    await look(t, who, 'the refusal');
    await page.goto('/-/settings/identities');
    await inspected(t, who, 'the identities of an account without a password');
  });

  await t.test('gets a first password, with which it signs in', async (t) => {
    await page.goto('/-/settings/password');
    await inspected(t, who, 'the first password');
    await page.getByLabel('New password').fill('the first password');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('The password is changed').waitFor();
    await unlink();
    await page.getByText('No identity is linked').waitFor();
    await inspected(t, who, 'the identities of an account with a password alone');
    await context.clearCookies();
    await signIn(who, { username: 'ada', password: 'the first password' });
    t.equal(await page.getByLabel('Account of ada').count(), 1);
  });
  t.strictSame(who.problems(), []);
}

void t.test('with scripts', async (t) => {
  const world = await forgeWithProviders(t, { browser, slapd });
  await signingIn(t, world, true);
  await administration(t, world);
  await firstPassword(t, world);
});

void t.test('without scripts', async (t) => {
  await signingIn(t, await forgeWithProviders(t, { browser, slapd }), false);
});
