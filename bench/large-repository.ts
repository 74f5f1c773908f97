// Measures pages of one large repository, cold and warm, against the fastest single git command for the same answer on
// the same directory. Options: --repository PATH (bare, with more than 50,000 commits), --database-url URL (embedded if
// absent), --rounds N, --only WORD.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { bounded, compare, timed, type Line } from './compare.ts';
import { latency, load } from './load.ts';
import { git, Subject } from './subject.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    repository: { type: 'string' },
    'database-url': { type: 'string' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
});
if (values.repository === undefined) throw new Error('--repository PATH is missing');
const databaseUrl = values['database-url'];
const [engine, rounds] = [databaseUrl === undefined ? 'embedded' : 'postgresql', Number(values.rounds)];
const branches = 100;

interface Question {
  readonly name: string;
  readonly path: string;
  /** The fastest single git command with the same result, run in the forge's copy. */
  readonly command: (directory: string) => Promise<unknown>;
}

const root = await mkdtemp(join(tmpdir(), 'hexforge-bench-'));
const options = { dataDir: join(root, 'data'), databaseUrl };
const lines: Line[] = [];
try {
  await mkdir(options.dataDir, { mode: 0o700 });
  const source = join(root, 'source.git');
  const tip = await copyRefs(values.repository, source);
  const directory = await fill(source);
  const questions = (await ask(source, tip)).filter(({ name }) => name.includes(values.only ?? ''));
  for (const question of questions) lines.push(...(await measure(question, directory)));
} finally {
  await rm(root, { recursive: true, force: true });
}
process.stdout.write(`${table(lines)}${JSON.stringify(lines)}\n`);
process.exitCode = lines.every(({ held }) => held) ? 0 : 1;

/**
 * Makes a repository that uses the objects of another one as alternates. Its `main` is the HEAD of the other, and its
 * branches are commits spread evenly over the list of all ref tips of the other.
 */
async function copyRefs(repository: string, source: string): Promise<string> {
  await git(['init', '-q', '--bare', '-b', 'main', source]);
  await writeFile(join(source, 'objects', 'info', 'alternates'), `${join(repository, 'objects')}\n`);
  const tip = (await git(['rev-parse', 'HEAD'], repository)).trim();
  const listed = (
    await git(['for-each-ref', '--format=%(objectname) %(objecttype) %(*objectname) %(*objecttype)'], repository)
  )
    .split('\n')
    .map((line) => line.split(' '));
  const commits = [
    ...new Set(
      listed.flatMap(([oid = '', type, peeled = '', peeledType]) =>
        type === 'commit' ? [oid] : peeledType === 'commit' ? [peeled] : [],
      ),
    ),
  ]
    .filter((oid) => oid !== tip)
    .toSorted();
  await git(['update-ref', 'refs/heads/main', tip], source);
  for (let index = 0; index < branches - 1; index += 1) {
    const oid = commits[Math.floor((index * commits.length) / (branches - 1))];
    if (oid !== undefined)
      await git(['update-ref', `refs/heads/branch-${String(index).padStart(3, '0')}`, oid], source);
  }
  process.stdout.write(
    `${(await git(['rev-list', '--count', '--branches'], source)).trim()} commits, ${(await git(['for-each-ref', 'refs/heads'], source)).trim().split('\n').length} branches\n`,
  );
  return tip;
}

/**
 * Pushes the repository to the forge and waits for the upkeep (commit-graph and packed refs) after the push. Also
 * pushes a small repository, which warms up the code before each measurement.
 */
async function fill(source: string): Promise<string> {
  const subject = await Subject.start(options);
  try {
    await subject.signIn();
    const { id } = await subject.createRepository('large');
    await subject.createRepository('small');
    const small = join(root, 'small');
    await git(['init', '-q', '-b', 'main', small]);
    for (let index = 0; index < 30; index += 1) {
      await writeFile(join(small, `file-${index % 7}`), `${index}\n`.repeat(50));
      await git(['add', '-A'], small);
      await git(
        ['-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '-q', '-m', `Change ${index}`],
        small,
      );
    }
    await git(['push', '-q', subject.cloneUrl('small'), 'main:main', 'main~9:refs/heads/base'], small);
    const pushed = await timed(() =>
      git(['push', '-q', subject.cloneUrl('large'), 'refs/heads/*:refs/heads/*'], source),
    );
    const directory = join(options.dataDir, 'repositories', id.slice(0, 2), `${id}.git`);
    // With this many branches the upkeep after the push writes these two files last.
    const kept = await timed(async () => {
      for (const name of ['objects/info/commit-graphs/commit-graph-chain', 'packed-refs'])
        while (
          await access(join(directory, name)).then(
            () => false,
            () => true,
          )
        )
          await delay(200, undefined, { signal: AbortSignal.timeout(900_000) });
      await delay(1000);
    });
    process.stdout.write(`pushed in ${(pushed / 1000).toFixed(0)} s, kept up in ${(kept / 1000).toFixed(0)} s\n`);
    return directory;
  } finally {
    await subject.stop();
  }
}

/** Builds the questions from the contents of the repository. */
async function ask(source: string, tip: string): Promise<readonly Question[]> {
  const files = (await git(['ls-tree', '-r', '-l', '-z', tip], source)).split('\0').flatMap((line) => {
    const [, type, oid = '', size = '', path = ''] = /^\d+ (\w+) (\w+) +(\S+)\t(.*)$/s.exec(line) ?? [];
    return type === 'blob' ? [{ oid, size: Number(size), path }] : [];
  });
  const sizes = new Map<string, Set<string>>();
  for (const { path } of files) {
    const parts = path.split('/');
    for (let depth = 0; depth < parts.length; depth += 1) {
      const folder = parts.slice(0, depth).join('/');
      sizes.set(folder, (sizes.get(folder) ?? new Set()).add(parts[depth] ?? ''));
    }
  }
  const [folder, entries] = [...sizes].reduce((one, other) => (other[1].size > one[1].size ? other : one));
  const file = await busyFile(source, tip, files);
  const base = await distantBase(source, tip);
  process.stdout.write(
    `largest folder "${folder}" (${entries.size} entries), file "${file}", base ${base.oid} (${base.files} files)\n`,
  );
  const wanted = folder === '' ? [] : [`${folder}/`];
  const depth = folder === '' ? 0 : folder.split('/').length;
  return [
    {
      name: `listing of ${entries.size} entries`,
      path: `contents/${folder}?ref=main`,
      // Faster than a log that also shows merge commits, and so not always correct. Stopped when it has named every
      // entry.
      command: (directory) => streamedLog(directory, [tip, '--', ...wanted], depth, entries),
    },
    {
      name: 'blame of 1,000 lines',
      path: `blame/main/${file}`,
      command: (directory) => git(['blame', '--porcelain', tip, '--', file], directory),
    },
    {
      name: '100 branches with divergence',
      path: 'branches?include_divergence=true&per_page=100',
      // All counts can be computed from this output.
      command: (directory) => git(['rev-list', '--parents', '--branches'], directory),
    },
    {
      name: 'commits of one path',
      path: `commits?path=${encodeURIComponent(file)}`,
      command: (directory) => git(['log', '-25', '--format=raw', tip, '--', file], directory),
    },
    {
      name: `compare of ${base.files} files`,
      path: `compare/${base.oid}...main`,
      command: (directory) => cutDiff(directory, [base.oid, tip]),
    },
  ];
}

/** Among files of about 1,000 lines, the path that most commits changed. */
async function busyFile(
  source: string,
  tip: string,
  files: readonly { readonly oid: string; readonly size: number; readonly path: string }[],
): Promise<string> {
  let best = { path: '', commits: 0 };
  for (const { oid, path } of files.filter(
    ({ size, path: name }) => size > 22_000 && size < 42_000 && !name.endsWith('.po'),
  )) {
    const count = (await git(['cat-file', 'blob', oid], source)).split('\n').length - 1;
    if (count < 950 || count > 1050) continue;
    const commits = Number(await git(['rev-list', '--count', tip, '--', path], source));
    if (commits > best.commits) best = { path, commits };
  }
  return best.path;
}

/** A commit on the first-parent line from which about 2,000 files changed. */
async function distantBase(source: string, tip: string): Promise<{ readonly oid: string; readonly files: number }> {
  const older = (await git(['rev-list', '--first-parent', tip], source)).trim().split('\n');
  const changed = async (oid: string): Promise<number> =>
    (await git(['diff-tree', '-r', '-M', '--name-only', '-z', oid, tip], source)).split('\0').length - 1;
  let low = 0;
  for (let high = older.length - 1; low < high;) {
    const middle = (low + high) >>> 1;
    if ((await changed(older[middle] ?? '')) < 2000) low = middle + 1;
    else high = middle;
  }
  const oid = older[low] ?? '';
  return { oid, files: await changed(oid) };
}

async function streamedLog(
  directory: string,
  args: readonly string[],
  depth: number,
  entries: ReadonlySet<string>,
): Promise<void> {
  const log = spawn('git', ['-c', 'core.quotePath=false', 'log', '--format=', '--name-only', ...args], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const missing = new Set(entries);
  const ended = once(log, 'close');
  for await (const line of createInterface({ input: log.stdout })) {
    if (missing.delete(line.split('/')[depth] ?? '') && missing.size === 0) break;
  }
  log.kill();
  await ended;
}

/** Reads only as many bytes of patches as the forge shows. */
async function cutDiff(directory: string, commits: readonly string[]): Promise<void> {
  const diff = spawn('git', ['diff-tree', '-r', '-M', '--raw', '--numstat', '-p', ...commits], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(diff, 'close');
  let patches: number | undefined;
  for await (const chunk of diff.stdout as AsyncIterable<Buffer>) {
    const from = patches === undefined ? chunk.indexOf('diff --git ') : 0;
    if (from >= 0) patches = (patches ?? 0) + chunk.length - from;
    if ((patches ?? 0) > 512 * 1024) break;
  }
  diff.kill();
  await ended;
}

async function measure({ name, path, command }: Question, directory: string): Promise<Line[]> {
  const repository = '/api/v1/repos/admin/large';
  // Starts a new process: its caches hold nothing of the large repository, but its code has run on the small one.
  const fresh = async <T>(work: (subject: Subject) => Promise<T>): Promise<T> => {
    const subject = await Subject.start(options);
    try {
      await subject.signIn();
      await subject.json('GET', repository);
      for (let round = 0; round < 5; round += 1) {
        for (const other of [
          'contents?ref=main',
          'blame/main/file-1',
          'branches?include_divergence=true',
          'commits?path=file-2',
          'compare/base...main',
        ])
          await subject.json('GET', `/api/v1/repos/admin/small/${other}`);
      }
      // Waits until the JIT has compiled that code, which occupies a core.
      await delay(1500);
      return await work(subject);
    } finally {
      await subject.stop();
    }
  };
  const url = (subject: Subject): string => `${subject.url}${repository}/${path}`;
  const measured: Line[] = [];
  const warm: number[] = [];
  const zipped: number[] = [];
  await command(directory);
  const cold = await compare({
    name: `${name}, cold`,
    engine,
    unit: 'ms',
    rounds,
    target: { most: 1.5 },
    limit: () => timed(() => command(directory)),
    ours: () =>
      fresh(async (subject) => {
        const time = await latency(url(subject), subject.headers, 1);
        const { id } = (await subject.json('GET', repository)) as { readonly id: string };
        for (const one of [`${subject.bare}/repository/${id}`, url(subject)]) await latency(one, subject.headers, 50);
        const bare = await latency(`${subject.bare}/repository/${id}`, subject.headers, 200);
        warm.push(Math.max(0, (await latency(url(subject), subject.headers, 100)) - bare));
        // Browsers always accept gzip.
        zipped.push(
          Math.max(0, (await latency(url(subject), { ...subject.headers, 'accept-encoding': 'gzip' }, 100)) - bare),
        );
        return time;
      }),
  });
  measured.push(
    cold,
    bounded({ name: `${name}, warm, over the bare route`, engine, unit: 'ms', values: warm, most: 3 }),
    bounded({ name: `${name}, warm, over the bare route, in gzip`, engine, unit: 'ms', values: zipped, most: 3 }),
  );
  if (name.startsWith('listing')) {
    const beside: number[] = [];
    const alone: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await fresh(async (subject) => {
        // All of these requests must run while the listing runs.
        const asked = {
          url: `${subject.url}${repository}`,
          headers: subject.headers,
          connections: 1,
          seconds: (0.7 * cold.ours) / 1000,
        };
        alone.push((await load(asked)).p99);
        const [probe] = await Promise.all([load(asked), subject.json('GET', `${repository}/${path}`)]);
        beside.push(probe.p99);
      });
    }
    measured.push(
      bounded({ name: 'p99 of GET one repository, alone', engine, unit: 'ms', values: alone, most: 50 }),
      bounded({ name: 'p99 of GET one repository, during that listing', engine, unit: 'ms', values: beside, most: 50 }),
    );
  }
  process.stdout.write(table(measured));
  return measured;
}
