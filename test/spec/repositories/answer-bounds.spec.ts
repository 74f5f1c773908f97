// Tests of the size of answers about hostile repositories: small pushes with very long texts, paths, folders and lines.
import { Buffer } from 'node:buffer';
import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { TestForge, TestUser } from '#test/support/forge';
import { thorough } from '#test/support/marks';
import { run } from '#test/support/servers/program';
import { sharedForge } from '#test/support/shared-forge';
import { remote, stockGit, type StockGit } from '#test/support/servers/stock-git';

const repos = '/api/v1/repos';
const most = 8 * 1024 ** 2;
const [MiB, kB] = [1024 ** 2, 1000];
const ascending = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

interface Told {
  readonly status: number;
  readonly bytes: number;
  readonly truncated: boolean;
  readonly body: unknown;
}

/** Uses plain fetch, because the forge's client validates every byte against a schema. */
async function ask(forge: TestForge, path: string): Promise<Told> {
  const response = await fetch(`${forge.url}${repos}/alice/${path}`);
  const text = await response.text();
  return {
    status: response.status,
    bytes: Buffer.byteLength(text),
    truncated: response.headers.get('x-truncated') === 'true',
    body: JSON.parse(text) as unknown,
  };
}

/** Makes a repository by `git fast-import` and pushes it. */
async function pushed(
  home: StockGit,
  forge: TestForge,
  alice: TestUser,
  name: string,
  script: readonly string[],
): Promise<string> {
  await alice.client.post(repos, { body: { name, visibility: 'public' } });
  await home.git('init', '--quiet', '--bare', '--initial-branch=main', name);
  const { code, stderr } = await run(
    'git',
    ['-C', `${home.folder}/${name}`, 'fast-import', '--quiet', '--date-format=raw'],
    {
      environment: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
      input: script.join(''),
    },
  );
  if (code !== 0) throw new Error(stderr);
  await home.at(name).git('push', '--quiet', '--mirror', remote(forge.url, `alice/${name}`, alice));
  return (await home.at(name).git('rev-parse', 'main')).trim();
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
const person = (role: string, name: string, email: string): string => `${role} ${name} <${email}> 1700000000 +0000\n`;

void t.test('no answer about a repository exceeds its bound, and omissions are marked', async (t) => {
  const forge = await sharedForge(t);
  const alice = await forge.createUser('alice');
  const home = await stockGit(t);
  const [name, email] = ['\u0001N'.repeat(2 * kB), 'e\u0001'.repeat(2 * kB)];

  await thorough(t).test('names, addresses and messages of thousands of bytes each', async (t) => {
    const lines = ascending(24_999)
      .map(() => `${'\u0001'.repeat(39)}\n`)
      .join('');
    const commit = (index: number): string =>
      `commit refs/heads/main\n${person('author', name, email)}${person('committer', name, email)}${data(`${index} ${'s\u0001'.repeat(2 * kB)}\n\n${'b\u0001'.repeat(index === 260 ? 100 * kB : 5 * kB)}`)}`;
    const tag = (index: number): string =>
      `tag v${index}\nfrom refs/heads/main\n${person('tagger', name, email)}${data('t\u0001'.repeat(10 * kB))}`;
    const branch = (index: number): string => `reset refs/heads/b${index}\nfrom refs/heads/main\n\n`;
    const files = ascending(200).map((index) => `M 100644 inline folder/f${index}\n${data(String(index))}`);
    await pushed(home, forge, alice, 'texts', [
      commit(0),
      `M 100644 inline lines\n${data(lines)}`,
      ...files,
      `reset refs/heads/first\nfrom refs/heads/main\n\n`,
      ...ascending(260).map((index) => commit(index + 1)),
      ...ascending(100).map(branch),
      ...ascending(100).map(tag),
    ]);
    const listing = await ask(forge, 'texts/contents/folder');
    const [entry] = listing.body as { last_commit_message: string }[];
    t.equal(entry?.last_commit_message.length, 1024);
    t.ok(entry?.last_commit_message.endsWith('…'));
    const blame = await ask(forge, 'texts/blame/main/lines');
    const blamed = blame.body as { author_name: string; author_email: string }[];
    t.equal(blamed.length, 24_999);
    t.ok(blamed.every(({ author_name, author_email }) => author_name.endsWith('…') && author_email.endsWith('…')));
    const commits = await ask(forge, 'texts/commits?per_page=100');
    const [told] = commits.body as { message: string; author: { name: string; email: string } }[];
    t.same([told?.author.name.length, told?.author.email.length], [256, 320]);
    t.ok(told?.message.endsWith('…'));
    const one = await ask(forge, 'texts/commits/main');
    t.equal((one.body as { message: string }).message.length, 64 * 1024, 'a single commit has its full message');
    const [branches, tags] = [
      await ask(forge, 'texts/branches?per_page=100'),
      await ask(forge, 'texts/tags?per_page=100'),
    ];
    const [tagged] = (tags.body as { items: { message: string; tagger_name: string }[] }).items;
    t.ok(tagged?.message.endsWith('…') && tagged.tagger_name.endsWith('…'));
    const compared = await ask(forge, 'texts/compare/first...main');
    t.equal((compared.body as { commits: unknown[] }).commits.length, 250);
    for (const answer of [listing, blame, commits, one, branches, tags, compared]) {
      t.equal(answer.status, 200);
      t.equal(answer.truncated, false, 'no text is omitted; long ones are cut');
      t.ok(answer.bytes < most, `${answer.bytes} bytes`);
    }
  });

  await thorough(t).test('paths of thousands of bytes', async (t) => {
    const folder = `${'d'.repeat(240)}/`.repeat(16);
    const deep = `${'x'.repeat(240)}/`.repeat(200);
    const head = await pushed(home, forge, alice, 'paths', [
      `commit refs/heads/main\n${person('committer', 'A', 'a@b')}${data('Begin')}M 100644 inline plain\n${data('1')}`,
      `commit refs/heads/main\n${person('committer', 'A', 'a@b')}${data('Deep')}`,
      ...ascending(3000).map((index) => `M 100644 inline ${folder}f${index}\n${data('1')}`),
      ...ascending(20).map((index) => `M 100644 inline ${deep}f${index}\n${data('1')}`),
      `M 100644 inline zz\n${data('1')}`,
    ]);
    for (const path of ['paths/commits/main', `paths/compare/${head}~1...main`.replace('~1', '')]) {
      const { status, bytes } = await ask(forge, path);
      t.equal(status, 200, path);
      t.ok(bytes < most, `${bytes} bytes`);
    }
    const { body, truncated, bytes } = await ask(forge, 'paths/commits/main');
    const { files, stats } = body as { files: { filename: string }[]; stats: { additions: number } };
    t.equal(truncated, true);
    t.equal(stats.additions, 3021, 'all are counted');
    t.ok(files.length > 200 && files.length < 3000 && bytes < 2 * MiB, `${files.length} files`);
    t.ok(files.every(({ filename }) => filename.length < 4096 && /^(d{240}\/){16}f\d+$/.test(filename)));
    const again = await ask(forge, 'paths/commits/main');
    t.equal(again.truncated, true, 'answers from the cache are marked too');
    const listing = await ask(forge, `paths/contents/${folder}`);
    t.same([listing.status, listing.truncated], [200, true]);
    t.ok(listing.bytes < most && (listing.body as unknown[]).length > 800);
    t.equal((await ask(forge, 'paths/languages')).status, 200);
  });

  await thorough(t).test(
    'a folder of twelve thousand files lists the first ten thousand, and each file can be read',
    async (t) => {
      await pushed(home, forge, alice, 'wide', [
        `blob\nmark :1\n${data('one')}`,
        `commit refs/heads/main\n${person('committer', 'A', 'a@b')}${data('x'.repeat(1024))}`,
        ...ascending(12_000).map((index) => `M 100644 :1 wide/file-${String(index).padStart(6, '0')}.ts\n`),
        `M 100644 :1 README\n`,
      ]);
      const { status, truncated, bytes, body } = await ask(forge, 'wide/contents/wide');
      t.same([status, truncated], [200, true]);
      t.ok(bytes < most, `${bytes} bytes`);
      const entries = body as { name: string; size: number; last_commit_message: string | null }[];
      t.same([entries.length, entries[0]?.name, entries.at(-1)?.name], [10_000, 'file-000000.ts', 'file-009999.ts']);
      t.ok(entries.every(({ size, last_commit_message: subject }) => size === 3 && subject?.endsWith('…')));
      const file = await ask(forge, 'wide/contents/wide/file-011999.ts');
      t.same([file.status, (file.body as { size: number }).size], [200, 3]);
      const root = await ask(forge, 'wide/contents');
      t.same([root.truncated, (root.body as unknown[]).length], [false, 2]);
      const written = await alice.client.put(`${repos}/alice/wide/contents/wide/file-0110000.ts`, {
        body: { message: 'Write into it', content: 'dHdv' },
      });
      t.equal(written.status, 201);
      t.equal((await ask(forge, 'wide/contents/wide/file-0110000.ts')).status, 200);
      t.equal((await ask(forge, 'wide/contents/wide/file-011000.ts')).status, 200);
    },
  );

  await t.test('a hundred thousand refs can be listed in pages, and no further one is created', async (t) => {
    const head = await pushed(home, forge, alice, 'refs', [
      `commit refs/heads/main\n${person('committer', 'A', 'a@b')}${data('Begin')}`,
    ]);
    const { body } = await forge.anonymous.get(`${repos}/alice/refs`);
    const [directory = ''] = globSync(`**/${(body as { id: string }).id}.git`, { cwd: forge.dataDir });
    const packed = ascending(100_000).map((index) => `${head} refs/heads/b${100_000 + index}\n`);
    await writeFile(
      join(forge.dataDir, directory, 'packed-refs'),
      `# pack-refs with: peeled fully-peeled sorted \n${packed.join('')}`,
    );
    const list = `${repos}/alice/refs/branches?per_page=100`;
    const { status, headers, body: page } = await forge.anonymous.get(`${list}&page=500`);
    const { items, total } = page as { items: { name: string }[]; total: number };
    t.same([status, items.length, items[0]?.name, total], [200, 100, 'b149900', 100_001]);
    const again = await forge.anonymous.get(`${list}&page=500`, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    t.equal(again.status, 304);
    t.equal((await forge.anonymous.get(`${list}&sort=ahead`)).status, 422);
    for (const kind of ['branches', 'tags'])
      t.equal((await alice.client.post(`${repos}/alice/refs/${kind}`, { body: { name: 'more' } })).status, 422, kind);
    const refused = await home
      .at('refs')
      .ran('push', remote(forge.url, 'alice/refs', alice), `${head}:refs/heads/more`);
    t.match(refused.stderr, /a repository may have 100000 refs/);
  });
});
