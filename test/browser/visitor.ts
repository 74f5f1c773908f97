// A visitor with a real browser: a page, and everything on it that must never happen.
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { HtmlValidate } from 'html-validate';
import type { Test } from 'tap';

/** The options of a visitor. */
export interface Visit {
  readonly width?: 390 | 1280;
  readonly scheme?: 'light' | 'dark';
  readonly scripts?: boolean;
  /** Other origins that pages may lead to. */
  readonly elsewhere?: readonly string[];
}

export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors, requests to other hosts and violations of the policy since the last call. */
  problems(): readonly string[];
}

/** Texts of users that try to run this set it. */
const canary = 'hexforgeCanary';

/** A text that would run a script wherever it is inserted unescaped. */
export const hostile = `"'><script>${canary}=1</script><img src=x onerror=${canary}=1>\u202e`;

export async function visitor(browser: Browser, url: string, visit: Visit = {}): Promise<Visitor> {
  const { width = 1280, scheme = 'light', scripts = true, elsewhere = [] } = visit;
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: width === 390 ? 844 : 900 },
    colorScheme: scheme,
    javaScriptEnabled: scripts,
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const seen: string[] = [];
  const { host } = new URL(url);
  page.on('request', (request) => {
    const { protocol, host: other, origin } = new URL(request.url());
    const isExpected = elsewhere.includes(origin) && request.isNavigationRequest();
    if (protocol !== 'data:' && other !== host && !isExpected) seen.push(`a request to ${request.url()}`);
  });
  page.on('pageerror', (error) => seen.push(`an error: ${error.message}`));
  page.on('console', (message) => {
    // The status of the page itself is not an error of the page.
    if (message.type() === 'error' && message.location().url !== page.url())
      seen.push(`on the console: ${message.text()} (${message.location().url})`);
    if (/Content.Security.Policy/i.test(message.text())) seen.push(`a violation: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    seen.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { context, page, problems: () => seen.splice(0) };
}

/** Signs in with the form of the page. */
export async function signIn({ page }: Visitor, { username, password }: Record<'username' | 'password', string>) {
  await page.goto('/-/sign-in?return_to=%2F');
  await page.fill('input[name=username]', username);
  await page.fill('input[name=password]', password);
  await page.click('main button');
  await page.waitForURL((url) => !url.pathname.startsWith('/-/sign-in'));
}

/** Findings of the accessibility check, each with its first element. */
export async function accessibility({ page }: Visitor): Promise<readonly string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  const findings: unknown = await page.evaluate(`
    axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, help, nodes }) => id + ': ' + help + ': ' + nodes[0].html.slice(0, 200)
        + ' ' + (nodes[0].any[0] || nodes[0].all[0] || { message: '' }).message.slice(0, 200)))`);
  return findings as readonly string[];
}

const validate = new HtmlValidate({
  root: true,
  extends: ['html-validate:standard'],
  rules: {
    // These are choices of style, and the template writes void elements with a slash.
    'void-style': 'off',
    'no-trailing-whitespace': 'off',
    'attribute-boolean-style': 'off',
    'long-title': 'off',
    'no-implicit-button-type': 'off',
    'prefer-native-element': 'off',
  },
});

/** Errors in the text of a page. */
export async function invalidHtml(text: string): Promise<readonly string[]> {
  const { results } = await validate.validateString(text);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line, column }) => `${ruleId}: ${message} at ${line}:${column}`),
  );
}

/** How many pixels the page is wider than the window. */
export const overflow = ({ page }: Visitor): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

const sizes = { wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } } as const;

/** Checks how the open page looks, wide and narrow, light and dark. */
export async function look(t: Test, who: Visitor, name: string): Promise<void> {
  // The colours do not depend on the width, so each of both is looked at once.
  for (const [size, colorScheme] of [
    [sizes.wide, 'light'],
    [sizes.narrow, 'dark'],
  ] as const) {
    await who.page.setViewportSize(size);
    await who.page.emulateMedia({ colorScheme });
    const seen = `${name} (${String(size.width)} px, ${colorScheme})`;
    t.strictSame(await accessibility(who), [], `accessibility of ${seen}`);
    t.ok((await overflow(who)) <= 0, `${seen} is as wide as the window`);
  }
  t.equal(await who.page.evaluate(`globalThis.${canary}`), undefined, `no script of a user ran on ${name}`);
  t.strictSame(who.problems(), [], `problems of ${name}`);
  await who.page.setViewportSize(sizes.wide);
}

/** The visible text, and the number of controls. The button that copies is left out, because it needs a script. */
export async function said({ page }: Visitor): Promise<string> {
  await page.locator('[data-copies]').evaluateAll((buttons) => buttons.forEach((button) => button.remove()));
  const controls = await page.locator('main, aside').locator('button, input, select, textarea, a[href]').count();
  const texts = await page.locator('main, aside').allInnerTexts();
  return `${texts.join('\n').replaceAll(/\s+/g, ' ')} ${String(controls)} controls`;
}
