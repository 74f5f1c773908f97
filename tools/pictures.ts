// Takes pictures of all pages of a filled forge, wide and narrow, light and dark: `node tools/pictures.ts FOLDER`, with
// words of page ids after it to take only these. `node tools/pictures.ts docs/pictures --readme` takes those of the
// README.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fixedClock, testHost } from '#host/sdk/testing';
import { startChromium } from './peers/chromium.ts';
import { root } from './project-files.ts';
import { signIn, visitor } from '../test/browser/visitor.ts';
import { fillInstance, pathOf } from '../test/support/clients/filled.ts';
import { fillExample } from '../test/support/clients/example-forge.ts';

const [folder, ...words] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder for the pictures');
mkdirSync(folder, { recursive: true });

/** The pictures of README.md: file, page and scheme. */
const readme = [
  ['repository', 'repositoryFront', 'light'],
  ['issue', 'issuePage', 'light'],
  ['merge-request', 'mergeOverviewPage', 'light'],
  ['changes-dark', 'mergeChangesPage', 'dark'],
] as const;

/** Queries of pages that are empty without one, by the id of the page. */
const searches: Readonly<Record<string, readonly string[]>> = {
  searchPage: [
    '?q=parseSearchText',
    '?q=blame',
    '?q=session&types=issues',
    '?q=folded+lang%3Atypescript&types=code',
    '?q=fo&types=code',
  ],
  searchDefinition: ['?name=Repository', '?name=nothing'],
  repositoryBlob: ['/../core/search/site/search-sections.ts'],
};

const run = promisify(execFile);

/** A copy of the history of this project with the person of the pictures as its author. */
const history = mkdtempSync(join(tmpdir(), 'hexforge-pictures-'));
await run('git', ['init', '-q', '--bare', '-b', 'main', history]);
await run(
  'sh',
  [
    '-c',
    `git fast-export HEAD |
      sed -E 's/^(author|committer) .* <.*> ([0-9]+ [+-][0-9]{4})$/\\1 Ada <ada@example.org> \\2/;
        s/^(commit|reset) (HEAD|refs\\/heads\\/[^ ]+)$/\\1 refs\\/heads\\/main/' |
      git --git-dir="$0" fast-import --quiet`,
    history,
  ],
  { cwd: root },
);

const forge = await testHost([], { clock: fixedClock(new Date().toISOString()) });
const browser = await startChromium();
try {
  const example = await fillExample(forge, (remote) =>
    run('git', ['push', '-q', remote, 'main', 'main~30:refs/heads/quiet-logs'], { cwd: history }),
  );
  await forge.drained();
  await forge.runJob('search', 'compare');
  await forge.runJob('search', 'index');
  const filled = { ...example, ...(await fillInstance(forge.as('admin'), 'Maintainers')) };
  /** Opens a window of a user. */
  const windowOf = async (username: string, looks: Parameters<typeof visitor>[2]) => {
    const { password } = await forge.user(username);
    const who = await visitor(browser, forge.url, looks);
    await signIn(who, { username, password });
    return who;
  };
  const pages = forge
    .port('PageRegistry')
    .pages()
    .map(({ one }) => one);
  for (const [file, id, scheme] of words[0] === '--readme' ? readme : []) {
    const who = await windowOf('ada', { scheme });
    await who.page.setViewportSize({ width: 1000, height: 640 });
    await who.page.goto(pathOf(pages.find((page) => page.id === id)?.path ?? '', filled) ?? '');
    await who.page.screenshot({ path: join(folder, `${file}.png`), caret: 'hide' });
    await who.context.close();
  }
  for (const { width, scheme } of [
    { width: 1280, scheme: 'light' },
    { width: 1280, scheme: 'dark' },
    { width: 390, scheme: 'light' },
  ] as const) {
    if (words[0] === '--readme') break;
    const [user, admin] = [await windowOf('ada', { width, scheme }), await windowOf('admin', { width, scheme })];
    for (const one of pages) {
      if (words.length > 0 && !words.some((word) => one.id.toLowerCase().includes(word.toLowerCase()))) continue;
      const path = pathOf(one.path, filled);
      if (path === undefined) continue;
      const who = path.startsWith('/-/admin') ? admin : user;
      for (const [index, query] of ['', ...(searches[one.id] ?? [])].entries()) {
        await who.page.goto(path + query);
        const height = Math.min(2000, Number(await who.page.evaluate('document.documentElement.scrollHeight')));
        await who.page.screenshot({
          path: join(folder, `${one.id}${index === 0 ? '' : `-${String(index)}`}-${String(width)}-${scheme}.png`),
          clip: { x: 0, y: 0, width, height: Math.max(height, 500) },
          fullPage: true,
          caret: 'hide',
        });
      }
    }
    await Promise.all([user, admin].map(({ context }) => context.close()));
  }
} finally {
  await browser.close();
  await forge.stop();
  rmSync(history, { recursive: true });
}
