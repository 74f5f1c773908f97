// Finds Chromium for the tests and the measurements in a real browser, and installs it if it is missing.
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { install } from './machine.ts';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const found = (): string | undefined => places.find((path) => existsSync(path));

/** Installs Chromium if it is missing. @throws {Error} if it cannot be installed. */
export function ensureChromium(): void {
  if (found() === undefined) install('chromium');
}

/** Starts a browser without windows. The caller closes it. */
export function startChromium(): Promise<Browser> {
  ensureChromium();
  const executablePath = found();
  if (executablePath === undefined) throw new Error('Chromium is missing after its installation');
  return chromium.launch({
    executablePath,
    // A container runs as root and has little shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--hide-scrollbars'],
  });
}
