// Last commits against `git log -1 -- path` for every entry: generated histories, with the commit-graph complete,
// outdated, split or missing.
import { Buffer } from 'node:buffer';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { bloomKey, CommitGraphs, mayContain, parseLayer } from '#adapters/git-native/history/commit-graph';
import { gitNative, type GitNative } from '#adapters/git-native/index';
import { git, must } from '#test/contracts/git/stock-git';
import { commandLines } from '#test/support/servers/server-process';
import { heldGit, quiet } from '../provider.ts';

const id = '0a000000-0000-4000-8000-000000000000';

async function repository(
  t: Test,
): Promise<{ readonly root: string; readonly directory: string; readonly open: () => GitNative }> {
  const root = await mkdtemp(join(tmpdir(), 'hexforge-last-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const opened: GitNative[] = [];
  const open = (): GitNative => {
    const native = gitNative({ root, log: quiet });
    opened.push(native);
    t.teardown(() => native.close());
    return native;
  };
  await open().create(id, { defaultBranch: 'main' });
  return { root, directory: join(root, '0a', `${id}.git`), open };
}

interface MadeCommit {
  readonly branch: string;
  readonly mark: number;
  readonly parents: readonly number[];
  /** A content, an entry of another mode, or undefined for a removed entry. */
  readonly changes: Readonly<Record<string, string | { readonly mode: string; readonly content: string } | undefined>>;
  readonly time?: number;
}

async function write(directory: string, commits: readonly MadeCommit[]): Promise<void> {
  const quoted = (path: string): string => `"${path.replaceAll('\n', '\\n')}"`;
  const text = commits
    .map(({ branch, mark, parents, changes, time = 1_600_000_000 + 60 * mark }) =>
      [
        ...(parents.length === 0 ? [`reset refs/heads/${branch}`] : []),
        `commit refs/heads/${branch}`,
        `mark :${mark}`,
        `committer Ada <ada@example.org> ${time} +0000`,
        `data ${`Change ${mark}`.length}`,
        `Change ${mark}`,
        ...parents.map((parent, index) => `${index === 0 ? 'from' : 'merge'} :${parent}`),
        ...Object.entries(changes).flatMap(([path, change]) => {
          const { mode, content } = typeof change === 'object' ? change : { mode: '100644', content: change };
          if (content === undefined) return [`D ${quoted(path)}`];
          return mode === '160000'
            ? [`M ${mode} ${content} ${quoted(path)}`]
            : [`M ${mode} inline ${quoted(path)}`, `data ${Buffer.byteLength(content)}`, content];
        }),
        '',
      ].join('\n'),
    )
    .join('');
  const { code, stderr } = await git(directory, ['fast-import', '--quiet', '--force', '--date-format=raw'], {
    input: Buffer.from(text, 'utf8'),
  });
  if (code !== 0) throw new Error(stderr);
}

const graph = (directory: string, ...args: readonly string[]): Promise<string> =>
  must(directory, ['commit-graph', 'write', '--split', '--changed-paths', ...args]);

type Said = ReadonlyMap<string, readonly (readonly [name: string, commit: string])[]>;
const saidOf = new Map<string, Promise<Said>>();

/** The last commit that git prints for every entry of every folder of a commit. */
async function ask(directory: string, commit: string): Promise<Said> {
  const folders = (await must(directory, ['ls-tree', '-r', '-d', '-z', commit]))
    .split('\0')
    .flatMap((line) => / tree .*\t(.*)$/s.exec(line)?.[1] ?? []);
  return new Map(
    await Promise.all(
      ['', ...folders].map(async (folder) => {
        const names = (
          await must(directory, ['ls-tree', '-z', '--name-only', folder === '' ? commit : `${commit}:${folder}`])
        )
          .split('\0')
          .filter((name) => name !== '');
        return [
          folder,
          await Promise.all(
            names.map(
              async (name) =>
                [
                  name,
                  await must(directory, [
                    'log',
                    '-1',
                    '--format=%H %s %ct',
                    commit,
                    '--',
                    `:(literal)${folder === '' ? name : `${folder}/${name}`}`,
                  ]),
                ] as const,
            ),
          ),
        ] as const;
      }),
    ),
  );
}

/** Compares every entry of every folder of a commit. @returns how many entries were compared. */
async function compareAll(t: Test, native: GitNative, directory: string, revision: string): Promise<number> {
  const commit = await must(directory, ['rev-parse', revision]);
  const key = `${directory} ${commit}`;
  const asked = saidOf.get(key) ?? ask(directory, commit);
  saidOf.set(key, asked);
  let compared = 0;
  for (const [folder, said] of await asked) {
    const answers = await native.lastCommits(id, commit, folder);
    t.strictSame(
      [...answers]
        .map(([name, { oid, subject, committedAt }]) => [name, `${oid} ${subject} ${committedAt.getTime() / 1000}`])
        .toSorted(),
      said.toSorted(),
      `"${folder}" of ${revision}`,
    );
    compared += said.length;
  }
  return compared;
}

const odd = {
  link: { mode: '120000', content: 'a' },
  program: { mode: '100755', content: '1' },
  module: { mode: '160000', content: '12345678'.repeat(5) },
};

/** Histories by their shape; the last commit is on `main`. */
const shapes: Readonly<Record<string, readonly MadeCommit[]>> = {
  'one merge takes the first side, another the second': [
    { branch: 'main', mark: 1, parents: [], changes: { a: '0', b: '0', 'f/x': '0', 'f/y': '0' } },
    { branch: 'side', mark: 2, parents: [1], changes: { a: 'side', 'f/x': 'side' } },
    { branch: 'main', mark: 3, parents: [1], changes: { b: 'main', 'f/y': 'main' } },
    { branch: 'main', mark: 4, parents: [3, 2], changes: { a: 'side' } },
    { branch: 'main', mark: 5, parents: [4, 2], changes: { 'f/x': 'side', b: 'main' } },
  ],
  'a merge with additional changes': [
    { branch: 'main', mark: 1, parents: [], changes: { a: '0', b: '0', c: '0' } },
    { branch: 'side', mark: 2, parents: [1], changes: { a: 'side' } },
    { branch: 'main', mark: 3, parents: [1], changes: { a: 'main' } },
    { branch: 'main', mark: 4, parents: [3, 2], changes: { a: 'both', b: 'evil' } },
  ],
  'both sides make the same change, so the first parent is followed': [
    { branch: 'main', mark: 1, parents: [], changes: { a: '0', 'f/x': '0' } },
    { branch: 'side', mark: 2, parents: [1], changes: { a: 'same', 'f/x': 'same' } },
    { branch: 'main', mark: 3, parents: [1], changes: { a: 'same' } },
    { branch: 'main', mark: 4, parents: [3, 2], changes: { 'f/x': 'same' } },
  ],
  'an octopus merge, and one with a reverted parent': [
    { branch: 'main', mark: 1, parents: [], changes: { a: '0', b: '0', c: '0', d: '0' } },
    { branch: 'one', mark: 2, parents: [1], changes: { a: '1' } },
    { branch: 'two', mark: 3, parents: [1], changes: { b: '1' } },
    { branch: 'three', mark: 4, parents: [1], changes: { c: '1' } },
    { branch: 'three', mark: 5, parents: [4], changes: { c: '0', d: '1' } },
    { branch: 'main', mark: 6, parents: [1, 2, 3, 5], changes: { a: '1', b: '1', d: '1', e: 'new' } },
    { branch: 'main', mark: 7, parents: [6, 2, 3, 4], changes: { c: '1' } },
  ],
  'entries that change their type': [
    {
      branch: 'main',
      mark: 1,
      parents: [],
      changes: { a: '0', 'b/x': '0', link: 'a', program: '1', module: '0', 'foo.c': '0', foo: '0', foo0: '0' },
    },
    { branch: 'main', mark: 2, parents: [1], changes: { a: undefined, 'a/x': '0' } },
    { branch: 'main', mark: 3, parents: [2], changes: { b: '0' } },
    { branch: 'main', mark: 4, parents: [3], changes: odd },
    { branch: 'main', mark: 5, parents: [4], changes: { foo: undefined, 'foo/x': '0' } },
    { branch: 'main', mark: 6, parents: [5], changes: { foo0: '1' } },
  ],
  'deleted files that are added again, unchanged or changed': [
    { branch: 'main', mark: 1, parents: [], changes: { a: '0', b: '0', 'f/x': '0', 'f/y': '0' } },
    { branch: 'main', mark: 2, parents: [1], changes: { a: undefined, f: undefined } },
    { branch: 'main', mark: 3, parents: [2], changes: { a: '0', b: '1', 'f/x': '0' } },
    { branch: 'main', mark: 4, parents: [3], changes: { 'f/y': '1' } },
  ],
  'a folder added by a merge, and one from an unrelated history': [
    { branch: 'main', mark: 1, parents: [], changes: { a: '0' } },
    { branch: 'side', mark: 2, parents: [1], changes: { 'f/x': '0', 'f/g/y': '0' } },
    { branch: 'side', mark: 3, parents: [2], changes: { 'f/z': '0' } },
    { branch: 'main', mark: 4, parents: [1], changes: { a: '1' } },
    { branch: 'main', mark: 5, parents: [4, 3], changes: { 'f/x': '0', 'f/g/y': '0', 'f/z': '0' } },
    { branch: 'alone', mark: 6, parents: [], changes: { 'h/x': '0' } },
    { branch: 'main', mark: 7, parents: [5, 6], changes: { 'h/x': '0' } },
  ],
  'dates that decrease, repeat, or are negative': [
    { branch: 'main', mark: 1, parents: [], changes: { a: '0', b: '0', c: '0', 'f/x': '0' }, time: 2_000_000_000 },
    { branch: 'side', mark: 2, parents: [1], changes: { a: '1', 'f/x': '1' }, time: 10 },
    { branch: 'main', mark: 3, parents: [1], changes: { b: '1' }, time: 2_000_000_000 },
    { branch: 'side', mark: 4, parents: [2], changes: { a: '2' }, time: 5_000_000_000 },
    { branch: 'main', mark: 5, parents: [3, 4], changes: { a: '2', 'f/x': '1' }, time: 1_000_000_000 },
    { branch: 'main', mark: 6, parents: [5], changes: { c: '1' }, time: 0 },
  ],
  'file and folder names with non-ASCII characters or line breaks': [
    {
      branch: 'main',
      mark: 1,
      parents: [],
      changes: {
        ünï: '0',
        'cödé/ä': '0',
        'cödé/b': '0',
        'sp ace/x': '0',
        'line\nbreak': '0',
        'new\nline/x': '0',
        'new\nline/y\nz': '0',
        plain: '0',
      },
    },
    { branch: 'main', mark: 2, parents: [1], changes: { ünï: '1', 'cödé/b': '1', 'new\nline/y\nz': '1' } },
    { branch: 'main', mark: 3, parents: [2], changes: { 'sp ace/x': '1', 'line\nbreak': '1', plain: '1' } },
  ],
};

for (const [shape, commits] of Object.entries(shapes)) {
  void t.test(`last commits: ${shape}`, async (t) => {
    const { directory, open } = await repository(t);
    await write(directory, commits);
    await compareAll(t, open(), directory, 'main');
    await graph(directory, '--reachable');
    t.ok((await compareAll(t, open(), directory, 'main')) > 1, 'with a commit-graph');
  });
}

/**
 * Three branches over few files with few contents, so that equal contents are reached on several paths; some dates are
 * out of order.
 */
function tangle(seed: number, length: number, from = 1): readonly MadeCommit[] {
  let state = seed;
  const random = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) * below);
  };
  const paths = ['a', 'b', 'c', 'd', 'f/x', 'f/y', 'f/z', 'f/g/x', 'f/g/y', 'h/x'];
  const lanes = ['main', 'one', 'two'];
  const tips = lanes.map(() => from);
  const commits: MadeCommit[] = [
    { branch: 'main', mark: from, parents: [], changes: Object.fromEntries(paths.map((path) => [path, '0'])) },
  ];
  for (let mark = from + 1; mark < from + length; mark += 1) {
    const lane = mark === from + length - 1 ? 0 : random(lanes.length);
    const others = [...new Set(tips)].filter((tip) => tip !== tips[lane]);
    const merged = random(3) === 0 ? others.slice(0, 1 + random(2)) : [];
    const changes: Record<string, string | undefined> = {};
    for (let count = random(4); count > 0; count -= 1)
      changes[paths[random(paths.length)] ?? 'a'] = random(6) === 0 ? undefined : String(random(3));
    commits.push({
      branch: lanes[lane] ?? 'main',
      mark,
      parents: [tips[lane] ?? from, ...merged],
      changes,
      time: 1_600_000_000 + 60 * mark - (random(10) === 0 ? random(6000) : 0),
    });
    tips[lane] = mark;
  }
  return commits;
}

for (const seed of [1, 2, 3, 4]) {
  void t.test(`last commits in generated history ${seed}`, async (t) => {
    const { directory, open } = await repository(t);
    const commits = tangle(seed, 120);
    await write(directory, commits.slice(0, 80));
    await graph(directory, '--reachable');
    const native = open();
    await compareAll(t, native, directory, 'main');
    await write(directory, commits);
    await compareAll(t, native, directory, 'main');
    await compareAll(t, open(), directory, 'main');
    await graph(directory, '--reachable', '--split=no-merge');
    t.equal(
      (await readFile(join(directory, 'objects/info/commit-graphs/commit-graph-chain'), 'latin1')).trim().split('\n')
        .length,
      2,
    );
    const compared = (await compareAll(t, open(), directory, 'main')) + (await compareAll(t, native, directory, 'one'));
    t.ok(compared > 10);
  });
}

void t.test('listings requested in any order while the history is being indexed are correct', async (t) => {
  const { directory, open } = await repository(t);
  await write(directory, tangle(9, 150));
  await graph(directory, '--reachable');
  const native = open();
  const commits = (await must(directory, ['rev-list', 'main'])).split('\n').filter((_, index) => index % 15 === 0);
  for (const commit of [...commits.slice(3), ...commits.slice(0, 3).toReversed()])
    await compareAll(t, native, directory, commit);
  t.ok(commits.length > 4);
});

void t.test('a folder of many entries takes as many git processes as a folder of one', async (t) => {
  const { root, directory } = await repository(t);
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`many/${index}`, '0']));
  await write(directory, [
    { branch: 'main', mark: 1, parents: [], changes: { ...many, 'few/0': '0' } },
    ...Array.from({ length: 500 }, (_, index): MadeCommit => ({
      branch: 'main',
      mark: index + 2,
      parents: [index + 1],
      changes: { [`many/${index}`]: '1', 'few/0': String(index) },
    })),
  ]);
  const tip = await must(directory, ['rev-parse', 'main']);
  for (const whether of ['without', 'with'] as const) {
    const processes: number[] = [];
    for (const folder of ['few', 'many']) {
      const started = join(root, `${whether}-${folder}`);
      const native = gitNative({ root, log: quiet, gitPath: await counting(root, started) });
      t.equal((await native.lastCommits(id, tip, folder)).size, folder === 'few' ? 1 : 500);
      await native.close();
      processes.push((await readFile(started, 'utf8')).trim().split('\n').length);
    }
    t.strictSame(processes, [2, 2], `a cat-file and a diff-tree process, ${whether} a commit-graph`);
    await graph(directory, '--reachable');
  }
  t.strictSame(
    commandLines().filter((line) => line.includes(root) && line.includes('diff-tree')),
    [],
    'no process is left running',
  );
});

void t.test('a walk releases its slot to a waiting request and continues in a later slot', async (t) => {
  const { root, directory } = await repository(t);
  await write(directory, [
    { branch: 'main', mark: 1, parents: [], changes: { a: '1' } },
    { branch: 'main', mark: 2, parents: [1], changes: { a: '2' } },
    { branch: 'other', mark: 3, parents: [], changes: { b: '1' } },
    { branch: 'other', mark: 4, parents: [3], changes: { b: '2' } },
  ]);
  const [tip, other] = [await must(directory, ['rev-parse', 'main']), await must(directory, ['rev-parse', 'other'])];
  const { gitPath, begun, goOn } = await heldGit(root, 'diff-tree');
  let caller = 'user:slow';
  // The slow walk has the only slot.
  const native = gitNative({ root, log: quiet, gitPath, caller: () => caller, limits: { heavy: 1 } });
  t.teardown(() => native.close());
  let answered = false;
  const slow = native.lastCommits(id, tip, '').finally(() => (answered = true));
  await begun();
  caller = 'user:quick';
  t.equal((await native.lastCommits(id, other, '')).get('b')?.oid, other);
  t.equal(answered, false, 'before the other walk has ended');
  await goOn();
  t.equal((await slow).get('a')?.oid, tip);
});

/** A git that logs a line per start. */
async function counting(root: string, started: string): Promise<string> {
  const path = join(root, `git-${started.replaceAll('/', '-')}`);
  await writeFile(path, `#!/bin/sh\necho "$*" >> '${started}'\nexec git "$@"\n`);
  await chmod(path, 0o755);
  return path;
}

void t.test('the commit-graph', async (t) => {
  const { directory } = await repository(t);
  await write(directory, [
    ...tangle(3, 80),
    {
      branch: 'main',
      mark: 900,
      parents: [80, 70, 60, 50, 40],
      changes: { 'wide/deep/file': 'x' },
      time: 9_000_000_000,
    },
  ]);
  await graph(directory, '--reachable');
  const location = { id, directory, cacheKey: id };
  const read = await new CommitGraphs().of(location);
  const listed = (await must(directory, ['log', '--all', '--format=%H %ct %P'])).split('\n');
  t.strictSame(
    listed
      .map((line) => read?.find(line.slice(0, 40)))
      .map((commit) => [commit?.oid, commit?.committed, ...(commit?.parents ?? [])].join(' ')),
    listed.map((line) => line.trim()),
  );
  t.equal(read?.find('f'.repeat(40)), undefined);
  t.equal(read?.find('0'.repeat(40)), undefined);

  await t.test('its filters never report a changed path as unchanged', async (t) => {
    let certain = 0;
    for (const line of listed) {
      const [oid = '', , parent = ''] = line.split(' ');
      const filter = read?.find(oid)?.filter;
      if (filter === undefined) throw new Error(`no filter of ${oid}`);
      const changed = (
        await must(directory, [
          'diff-tree',
          '--root',
          '-r',
          '--no-commit-id',
          '--name-only',
          ...(parent === '' ? [oid] : [parent, oid]),
        ])
      )
        .split('\n')
        .filter((path) => path !== '');
      for (const path of changed)
        for (let part = path; part !== ''; part = part.slice(0, Math.max(0, part.lastIndexOf('/'))))
          t.ok(mayContain(filter, bloomKey(part) ?? { first: 0, step: 0 }), part);
      for (let index = 0; index < 20; index += 1)
        certain += mayContain(filter, bloomKey(`absent-${index}`) ?? { first: 0, step: 0 }) ? 0 : 1;
    }
    t.ok(certain > 0.7 * 20 * listed.length, `${certain} of ${20 * listed.length}`);
    t.equal(bloomKey('ünï'), undefined);
  });

  await t.test('a truncated or unsupported commit-graph is ignored, and commits are read as objects', async (t) => {
    const folder = join(directory, 'objects/info/commit-graphs');
    const hash = (await readFile(join(folder, 'commit-graph-chain'), 'latin1')).trim();
    const content = await readFile(join(folder, `graph-${hash}.graph`));
    t.ok(parseLayer(content, 0));
    t.equal(parseLayer(content, 1), undefined);
    for (const length of [0, 7, 8, 60, 200, 1200])
      t.equal(parseLayer(content.subarray(0, length), 0), undefined, `${length} bytes`);
    for (const at of [0, 4, 5])
      t.equal(
        parseLayer(Buffer.concat([content.subarray(0, at), Buffer.from([9]), content.subarray(at + 1)]), 0),
        undefined,
        `byte ${at}`,
      );
    await rm(join(folder, `graph-${hash}.graph`));
    t.equal(await new CommitGraphs().of(location), undefined);
  });
});
