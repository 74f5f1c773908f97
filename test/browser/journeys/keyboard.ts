// A person without a mouse: what Tab reaches.
import type { Locator, Page } from 'playwright-core';

const most = 150;

/** Presses Tab until this has the focus. @throws {Error} if Tab does not reach it. */
export async function reach(page: Page, target: Locator): Promise<void> {
  const wanted = await target.elementHandle();
  for (let presses = 0; presses < most; presses += 1) {
    if (await page.evaluate((one) => one === one?.ownerDocument.activeElement, wanted)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${String(most)} presses of Tab do not reach ${String(target)}`);
}

/** Reaches this and presses Enter on it. */
export async function enter(page: Page, target: Locator): Promise<void> {
  await reach(page, target);
  await page.keyboard.press('Enter');
}
