// MCP is switched on for a repository, and the command line of MCP Inspector, unmodified, gets access to it: it
// registers itself, its user signs in and approves in a browser, and it calls a tool in each protocol era.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { fixedClock, testHost } from '#host/sdk/testing';
import { files } from '#test/web/search/world';
import { startChromium } from '../../../tools/peers/chromium.ts';
import { ensureInspector } from '../../../tools/peers/inspector.ts';
import { freePort } from '../../../tools/peers/machine.ts';
import { visitor } from '../visitor.ts';
import { signedIn } from './signed-in.ts';

const browser = await startChromium();
t.teardown(() => browser.close());
const program = ensureInspector();

void t.test('an assistant is let in', async (t) => {
  // The client compares times of the tokens with its own clock.
  const clock = fixedClock(new Date().toISOString());
  await using forge = await testHost([], {
    clock,
    repositories: ['ada/engine'],
    settings: { 'oauth2.dcr.enabled': true },
  });
  await files(forge, 'ada/engine', { 'README.md': '# The engine\n' });
  const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
  const home = t.testdir();

  /** Runs the Inspector until it ends. `told` gets every line that it writes for its user. */
  async function inspector(address: string, rest: readonly string[], told: (line: string) => void = () => {}) {
    const call = ['--cli', address, '--transport', 'http', '--format', 'json', '--callback-url', callback, ...rest];
    const child = spawn(process.execPath, [program, ...call], {
      // Without a path it opens no browser itself, and only writes the address.
      env: { PATH: '', HOME: home, MCP_AUTO_OPEN_ENABLED: 'true', MCP_INSPECTOR_SECRET_STORE: 'file' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      errors += chunk;
      for (const line of chunk.split('\n')) told(line);
    });
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number | null]>]);
    return { code, output, errors };
  }

  const owner = await signedIn(browser, forge, 'ada');
  await owner.page.goto('/ada/engine/-/mcp');
  const address = await owner.page.getByLabel('Address of the MCP server').inputValue();
  await owner.page.getByRole('button', { name: 'Switch off for this repository' }).click();
  await owner.page.getByText('it is switched off here').waitFor();
  await owner.page.getByRole('button', { name: 'Switch on for this repository' }).click();
  await owner.page.getByLabel('Address of the MCP server').waitFor();

  const who = await visitor(browser, forge.url);
  const { page } = who;
  const { password } = await forge.user('ada');
  let approval: Promise<void> | undefined;
  const approve = async (url: string): Promise<void> => {
    await page.goto(url);
    await page.getByLabel('Username').fill('ada');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: /asks for access to your account/ }).waitFor();
    t.match(await page.locator('main').innerText(), 'mcp:read');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.waitForURL(`${callback}?**`);
  };
  const listed = await inspector(address, ['--method', 'tools/list', '--strict'], (line) => {
    const url = /https?:\/\/\S+oauth2\/authorize\?\S+/.exec(line)?.[0];
    if (url !== undefined) approval ??= approve(url);
  });
  await approval;
  t.equal(listed.code, 0, listed.errors);
  t.match(listed.output, /"read_file"/);

  for (const era of ['legacy', 'auto', 'modern']) {
    const method = ['--method', 'tools/call', '--tool-name', 'read_file', '--tool-arg', 'path=README.md'];
    const { code, output, errors } = await inspector(address, [...method, '--protocol-era', era, '--stored-auth-only']);
    t.equal(code, 0, `${era}: ${errors}`);
    t.match(output, /# The engine/, era);
  }
});
