// From an empty folder to a pushed repository, as the program and its pages explain it: the start, sign-in, a new
// repository, the git commands of its page with a token of the page, and an edited file.
import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { temporaryFolder } from '#test/support/folder';
import { freePort } from '#test/support/servers/server-process';
import { startChromium } from '../../../tools/peers/chromium.ts';
import { root } from '../../../tools/project-files.ts';
import { signIn, visitor } from '../visitor.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

/** Starts the program as its user does. @returns all that it prints until it listens. */
function started(folder: string, port: number): Promise<string> {
  const { PATH = '' } = process.env;
  const server = spawn(process.execPath, [join(root, 'bin/hexforge.js'), 'serve'], {
    cwd: folder,
    env: { PATH, HOME: folder, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.teardown(async () => {
    server.kill();
    if (server.exitCode === null) await once(server, 'exit');
  });
  let printed = '';
  return new Promise((resolve, reject) => {
    server.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (/listening on .*\n/.test(printed)) resolve(printed);
    });
    server.once('exit', () => reject(new Error(`the server ended: ${printed}`)));
  });
}

/** A machine whose git asks a program for names and passwords, as one with a password manager. */
async function machine(folder: string, token: string) {
  await mkdir(folder);
  const ask = join(folder, 'ask.sh');
  await writeFile(ask, '#!/bin/sh\ncase "$1" in Username*) echo admin ;; *) echo "$TOKEN" ;; esac\n');
  await chmod(ask, 0o700);
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_ASKPASS: ask, TOKEN: token };
  await promisify(execFile)('git', ['config', '--global', 'user.name', 'Ada'], { env });
  await promisify(execFile)('git', ['config', '--global', 'user.email', 'ada@example.com'], { env });
  return (script: string) => promisify(execFile)('sh', ['-ec', script], { cwd: folder, env, timeout: 30_000 });
}

void t.test('the first hour of a new forge', async (t) => {
  const folder = await temporaryFolder(t);
  const printed = await started(folder, await freePort());
  const [, username = ''] = /^administrator: (.+)$/m.exec(printed) ?? [];
  const [, password = ''] = /^password: (.+)$/m.exec(printed) ?? [];
  const [, url = ''] = /listening on (\S+)/.exec(printed) ?? [];
  const who = await visitor(browser, url);
  const { page } = who;
  const role = (...wanted: Parameters<typeof page.getByRole>) => page.getByRole(...wanted);

  await page.goto('/');
  await page.getByText('This instance is new').waitFor();
  await signIn(who, { username, password });

  await page.goto('/-/new');
  await page.getByLabel('Name', { exact: true }).fill('site');
  await page.getByLabel('Description').fill('The first one');
  await role('button', { name: 'Create repository' }).click();
  await page.waitForURL('**/admin/site');
  await page.getByText('This repository is empty').waitFor();
  const commands = await page.locator('#first-commands').innerText();

  await page.locator('main').getByRole('link', { name: 'access token' }).click();
  await page.getByLabel('Name', { exact: true }).fill('laptop');
  await page.getByLabel('repo:write').check();
  await role('button', { name: 'Create token' }).click();
  const token = await page.getByLabel('Token', { exact: true }).inputValue();

  const run = await machine(join(folder, 'laptop'), token);
  await run(commands);
  await page.goto('/admin/site');
  await role('link', { name: 'First commit' }).waitFor();
  await role('heading', { name: /^site/ }).waitFor();

  await role('link', { name: 'README.md', exact: true }).first().click();
  await role('link', { name: 'Edit' }).click();
  await page.getByLabel('Content').fill('# Site\n\nWritten in the browser.\n');
  await page.getByLabel('Commit message').fill('Say more');
  await role('button', { name: 'Commit changes' }).click();
  await page.getByText('Written in the browser.').waitFor();
  await run('cd site && git pull -q --ff-only origin main && grep -q "in the browser" README.md');
  t.strictSame(who.problems(), []);
});
