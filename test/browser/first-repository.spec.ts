// In a real browser: a new repository, a push with the commands of its page, a new file, and an edit on a new branch.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { startChromium } from '../../tools/peers/chromium.ts';
import { signIn, visitor } from './visitor.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

for (const scripts of [true, false])
  void t.test(`with scripts ${scripts ? 'on' : 'off'}`, async (t) => {
    await using forge = await testHost([], { users: ['ada'] });
    const { password } = await forge.user('ada');
    const folder = mkdtempSync(join(tmpdir(), 'hexforge-first-'));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const who = await visitor(browser, forge.url, { scripts });
    const { page } = who;
    await signIn(who, { username: 'ada', password });
    await page.click('summary:text-is("New")');
    await page.click('text=New repository');
    await page.fill('#name', 'engine');
    await page.click('text=Create repository');
    await page.waitForURL('**/ada/engine');

    const commands = await page.innerText('.empty pre');
    const credential = `ada:${encodeURIComponent(password)}@`;
    await promisify(execFile)('sh', ['-e', '-c', commands.replace('http://', `http://${credential}`)], {
      cwd: folder,
      env: {
        ...process.env,
        ...Object.fromEntries(
          ['AUTHOR', 'COMMITTER'].flatMap((who) => [
            [`GIT_${who}_NAME`, 'Ada'],
            [`GIT_${who}_EMAIL`, 'ada@example.org'],
          ]),
        ),
      },
    });
    await page.reload();
    await page.click('main a[href$="/-/new-file/main"]');
    await page.fill('#name', 'docs/start.md');
    await page.fill('#content', '# Start\n');
    await page.click('text=Commit new file');
    await page.waitForURL('**/-/blob/main/docs/start.md');
    await page.click('main a[href*="/-/edit/main/"]');
    await page.fill('#content', '# Start here\n');
    await page.fill('#message', 'Say where');
    await page.fill('#new_branch', 'words');
    await page.click('text=Commit changes');
    await page.waitForURL('**/-/compare/main...words');
    t.match(await page.innerText('main'), /words is 1 commit ahead of main[^]*Say where[^]*Start here/);
    t.strictSame(who.problems(), []);
    await who.context.close();
  });
