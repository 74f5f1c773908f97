// Measures merge requests: a list among 100,000 of 50 repositories against the same store queries, diffs against git's
// own, and merges in a long history against the same plumbing commands.
import { access, cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bounded, compare, timed, type Line } from './compare.ts';
import { writeHistory } from './history.ts';
import type { Setting } from './lines.ts';
import { latency } from './load.ts';
import { text, writeProposals } from './proposals.ts';
import { git, type Subject } from './subject.ts';

/** Fewer requests on the embedded database, where filling would take longer than everything else. */
const counts = { embedded: 10_000, server: 100_000 } as const;
const api = '/api/v1/repos/admin';

export const mergeLines = async (setting: Setting, subject: Subject): Promise<Line[]> => [
  await listLine(setting, subject),
  ...(await diffLines(setting, subject)),
  await mergeLine(setting, subject),
];

async function listLine({ engine, rounds, databaseUrl }: Setting, subject: Subject): Promise<Line> {
  const { id } = await subject.createRepository('merges');
  const count = databaseUrl === undefined ? counts.embedded : counts.server;
  await latency(`${subject.bare}/merges/fill/${id}?count=${count}`, subject.headers, 1);
  const ours = `${subject.url}${api}/merges/merges?state=open`;
  const limit = `${subject.bare}/merges/list/${id}`;
  const time = (url: string) => () => latency(url, subject.headers, 100);
  await time(ours)();
  await time(limit)();
  return compare({
    name: 'list merge requests, to the same reads',
    engine,
    unit: 'ms',
    rounds,
    target: { most: 2 },
    ours: time(ours),
    limit: time(limit),
  });
}

const files = Array.from({ length: 2000 }, (_, index) => `folder-${index % 40}/file-${index}.txt`);
/** The number of concurrent requests. */
const atOnce = 8;
/** The limit of the growth of memory, in megabytes. */
const mostBeyond = 100;

async function diffLines({ engine, rounds, root, dataDir }: Setting, subject: Subject): Promise<Line[]> {
  const source = join(root, `diffs-${engine}.git`);
  await git(['init', '-q', '--bare', '-b', 'main', source]);
  const written = (paths: readonly string[], what: string) => paths.map((path) => [path, text(200, what)] as const);
  const some = Array.from({ length: rounds + 1 }, (_, round) => `some-${round}`);
  // `many` has more files and `long` more bytes than the forge shows.
  const many = Array.from({ length: atOnce }, (_, index) => `many-${index}`);
  const long = Array.from({ length: atOnce }, (_, index) => `long-${index}`);
  await writeProposals(source, [
    { branch: 'main', files: written(files, 'before') },
    ...some.map((branch, round) => ({
      branch,
      from: 'refs/heads/main',
      files: written(files.slice(100 * (round % 20), 100 * (round % 20) + 100), branch),
    })),
    ...many.map((branch) => ({ branch, from: 'refs/heads/main', files: written(files, branch) })),
    ...long.map((branch) => ({
      branch,
      from: 'refs/heads/main',
      files: files.slice(0, 900).map((path) => [path, text(400, branch).replaceAll('line', branch)] as const),
    })),
  ]);
  const { id } = await subject.createRepository('diffs');
  await git(['push', '-q', subject.cloneUrl('diffs'), 'refs/heads/*:refs/heads/*'], source);
  const stored = storedAt(dataDir, id);
  await keptUp(stored);
  const branches = [...some, ...many, ...long];
  for (const [index, branch] of branches.entries()) {
    const head = (await git(['rev-parse', branch], stored)).trim();
    const query = `number=${index + 1}&branch=${branch}&head=${head}`;
    await latency(`${subject.bare}/merges/open/${id}?${query}`, subject.headers, 1);
  }
  const request = (branch: string): string => `${api}/diffs/merges/${branches.indexOf(branch) + 1}`;
  const fetched = (branch: string): Promise<unknown> => subject.json('GET', request(branch));
  const diffTree = (branch: string): Promise<string> =>
    git(['diff-tree', '-r', '-M', '--raw', '--numstat', '-z', '-p', '--merge-base', 'main', branch], stored, {
      patient: true,
    });

  // Fetching the first branch only warms up the code for the cold measurement, which uses the other branches. The warm
  // measurement below uses the first branch again.
  const [first = '', ...others] = some;
  await fetched(first);
  await diffTree(first);
  let [asked, compared] = [0, 0];
  const cold = await compare({
    name: 'fetch with a diff of 100 files, cold, to git diff-tree -p',
    engine,
    unit: 'ms',
    rounds,
    // The same target as for a list, because the forge also queries the database and git takes almost no time.
    target: { most: 2 },
    ours: () => timed(() => fetched(others[asked++] ?? '')),
    limit: () => timed(() => diffTree(others[compared++] ?? '')),
  });
  const warm: number[] = [];
  const time = (url: string): Promise<number> => latency(url, subject.headers, 100);
  await time(`${subject.url}${request(first)}`);
  for (let round = 0; round < rounds; round += 1) {
    const bare = await time(`${subject.bare}/merges/fetch/${id}`);
    warm.push(Math.max(0, (await time(`${subject.url}${request(first)}`)) - bare));
  }
  const capped = async (name: string, all: readonly string[]): Promise<Line> => {
    const beyond = Math.max(0, await subject.memoryBeyond(() => Promise.all(all.map(fetched))));
    return bounded({ name: `${name}: memory`, engine, unit: 'MB', values: [beyond], most: mostBeyond });
  };
  return [
    cold,
    bounded({
      name: 'fetch with a diff of 100 files, warm, over the bare route',
      engine,
      unit: 'ms',
      values: warm,
      most: 3,
    }),
    await capped(`fetch with a diff of 2,000 files, ${atOnce} at once`, many),
    await capped(`fetch with a diff past the cap of bytes, ${atOnce} at once`, long),
  ];
}

async function mergeLine({ engine, rounds, root, dataDir }: Setting, subject: Subject): Promise<Line> {
  const commits = 50_500;
  const topics = Array.from({ length: rounds + 1 }, (_, round) => `topic-${round}`);
  const source = join(root, 'merging.git');
  if (!(await exists(source))) {
    await git(['init', '-q', '--bare', '-b', 'main', source]);
    await writeHistory(source, { commits, rootFiles: 100, folders: 100, filesPerFolder: 40 });
    await writeProposals(
      source,
      topics.map((branch, round) => ({
        branch,
        from: `refs/heads/main~${100 * (round + 1)}`,
        files: [[`${branch}.txt`, text(100, branch)]],
      })),
    );
  }
  const { id } = await subject.createRepository('merging');
  await git(['push', '-q', subject.cloneUrl('merging'), 'refs/heads/*:refs/heads/*'], source);
  const stored = storedAt(dataDir, id);
  await keptUp(stored);
  // The copy has the same packs and the same commit-graph.
  const copy = join(root, `merged-${engine}.git`);
  await cp(stored, copy, { recursive: true });
  for (const [key, value] of [
    ['transfer.fsckObjects', 'true'],
    ['core.fsync', 'committed,loose-object,reference'],
    ['receive.autogc', 'false'],
    ['gc.auto', '0'],
  ] as const)
    await git(['config', key, value], copy);
  for (const branch of topics)
    await subject.json('POST', `${api}/merging/merges`, {
      title: branch,
      source_branch: branch,
      target_branch: 'main',
    });

  let [merged, made] = [0, 0];
  const ours = (): Promise<number> =>
    timed(() => subject.json('POST', `${api}/merging/merges/${++merged}/merge`, { strategy: 'merge' }));
  const limit = (): Promise<number> => timed(() => mergeByHand(copy, topics[made++] ?? ''));
  await ours();
  await limit();
  return await compare({
    name: 'merge, 50,500 commits, to the same plumbing commands',
    engine,
    unit: 'ms',
    rounds,
    target: { most: 1.3 },
    ours,
    limit,
  });
}

/** Merges in a quarantine and pushes from it, so that git checks and syncs the same objects as in the forge. */
async function mergeByHand(directory: string, branch: string): Promise<void> {
  const quarantine = `${directory}.${branch}`;
  await mkdir(quarantine);
  const environment = {
    GIT_OBJECT_DIRECTORY: quarantine,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(directory, 'objects'),
    GIT_AUTHOR_NAME: 'A Merger',
    GIT_AUTHOR_EMAIL: 'merger@example.org',
    GIT_COMMITTER_NAME: 'A Merger',
    GIT_COMMITTER_EMAIL: 'merger@example.org',
  };
  const run = (...args: readonly string[]): Promise<string> => git(args, directory, { environment, patient: true });
  const tree = (await run('-c', 'core.fsync=none', 'merge-tree', '--write-tree', 'main', branch)).trim();
  const parents = ['-p', 'main', '-p', branch, '-m', `Merge ${branch}`];
  const commit = (await run('-c', 'core.fsync=none', 'commit-tree', tree, ...parents)).trim();
  await run('push', '-q', `file://${directory}`, `${commit}:refs/heads/main`);
  await rm(quarantine, { recursive: true });
}

const storedAt = (dataDir: string, id: string): string => join(dataDir, 'repositories', id.slice(0, 2), `${id}.git`);

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Waits until the forge has finished its upkeep after a push. */
async function keptUp(directory: string): Promise<void> {
  while (!(await exists(join(directory, 'objects', 'info', 'commit-graphs', 'commit-graph-chain'))))
    await new Promise((resolve) => setTimeout(resolve, 200));
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
