// Forms of pages in tests, by the path that receives them.
import type { Browser, Page } from '#host/sdk/testing/browser';

/** Sends the first form of the page whose action begins with this path. */
export function submitTo(
  browser: Browser,
  page: Page,
  action: string,
  values: Readonly<Record<string, string>> = {},
): Promise<Page> {
  const index = page.forms.findIndex((form) => form.action.startsWith(action) && form.method === 'POST');
  if (index < 0) throw new Error(`${page.path} has no form for ${action}`);
  return browser.submit(page, values, index);
}
