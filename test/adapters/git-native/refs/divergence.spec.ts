// Divergence against `git rev-list --left-right --count`, with a commit-graph that is complete, split, older than the
// refs, without generation numbers, or missing.
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { gitNative } from '#adapters/git-native/index';
import { git, must } from '#test/contracts/git/stock-git';
import { temporaryFolder } from '#test/support/folder';
import { quiet } from '../provider.ts';

const id = '0b000000-0000-4000-8000-000000000000';
const [commits, late] = [700, 80];

/** A pseudo-random generator with the same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * Branches that split, merge, cross and start without a parent, some with dates out of order; a branch at every twelfth
 * commit and at the last.
 */
function history(): readonly string[] {
  const random = numbers(7);
  return Array.from({ length: commits }, (_, index) => {
    const mark = index + 1;
    const near = (): number => Math.max(1, mark - 1 - random(40));
    const parents =
      mark === 1 || random(60) === 0
        ? []
        : [...new Set([near(), ...(random(4) === 0 ? [near()] : []), ...(random(20) === 0 ? [near(), near()] : [])])];
    const time = 1_600_000_000 + 60 * (random(10) === 0 ? random(commits) : mark);
    const branch = mark % 12 === 0 || mark === commits ? `refs/heads/b${mark}` : 'refs/heads/work';
    return [
      `reset ${branch}`,
      '',
      `commit ${branch}`,
      `mark :${mark}`,
      `committer A <a@b> ${time} +0000`,
      'data 1',
      'x',
      ...parents.map((parent, at) => `${at === 0 ? 'from' : 'merge'} :${parent}`),
      '',
    ].join('\n');
  });
}

async function repository(t: Test) {
  const root = await temporaryFolder(t);
  const [path, log, marks, directory] = [
    join(root, 'git'),
    join(root, 'log'),
    join(root, 'marks'),
    join(root, '0b', `${id}.git`),
  ];
  await writeFile(path, `#!/bin/sh\necho "$*" >> "${log}"\nexec git "$@"\n`);
  await chmod(path, 0o700);
  const native = gitNative({ root, log: quiet, gitPath: path });
  t.teardown(() => native.close());
  await native.create(id, { defaultBranch: 'main' });
  return {
    directory,
    native,
    async write(part: readonly string[]): Promise<void> {
      const { code, stderr } = await git(
        directory,
        [
          'fast-import',
          '--quiet',
          '--force',
          '--date-format=raw',
          `--import-marks-if-exists=${marks}`,
          `--export-marks=${marks}`,
        ],
        { input: part.join('') },
      );
      if (code !== 0) throw new Error(stderr);
    },
    graph: (...args: readonly string[]) =>
      must(directory, ['commit-graph', 'write', '--split', '--changed-paths', '--reachable', ...args]),
    walks: async () =>
      (await readFile(log, 'utf8').catch(() => '')).split('\n').filter((line) => line.includes('rev-list')).length,
  };
}

type Made = Awaited<ReturnType<typeof repository>>;

const ways: Readonly<Record<string, { readonly lay: (made: Made) => Promise<unknown>; readonly walks: number }>> = {
  'no commit-graph, and too many commits to read one by one': { walks: 1, lay: ({ write }) => write(history()) },
  'a complete commit-graph': {
    walks: 0,
    async lay({ write, graph }) {
      await write(history());
      await graph();
    },
  },
  'a split commit-graph': {
    walks: 0,
    async lay({ write, graph }) {
      for (const [from, to] of [
        [0, 400],
        [400, 600],
        [600, commits],
      ]) {
        await write(history().slice(from, to));
        await graph('--split=no-merge');
      }
    },
  },
  'a commit-graph older than some branches': {
    walks: 0,
    async lay({ write, graph }) {
      await write(history().slice(0, -late));
      await graph();
      await write(history().slice(-late));
    },
  },
  'a commit-graph without generation numbers, as from old git': {
    walks: 1,
    async lay({ directory, write, graph }) {
      await write(history());
      await graph();
      const folder = join(directory, 'objects/info/commit-graphs');
      const file = join(folder, `graph-${(await readFile(join(folder, 'commit-graph-chain'), 'latin1')).trim()}.graph`);
      const content = await readFile(file);
      const chunk = (name: string): number => Number(content.readBigUInt64BE(content.indexOf(name) + 4));
      const written = content.readUInt32BE(chunk('OIDF') + 4 * 255);
      for (let at = chunk('CDAT') + 28; at < chunk('CDAT') + 36 * written; at += 36)
        content.writeUInt32BE(content.readUInt32BE(at) & 3, at);
      await rm(file, { force: true });
      await writeFile(file, content);
    },
  },
};

let said: Promise<readonly (readonly [head: string, counts: object])[]> | undefined;

/** The counts of git, keyed by the message of each commit. */
const ask = async (directory: string, base: string): Promise<readonly (readonly [string, object])[]> => {
  const heads = (await must(directory, ['for-each-ref', '--format=%(objectname)', 'refs/heads'])).split('\n');
  return await Promise.all(
    heads.map(async (head) => {
      const [behind, ahead] = (await must(directory, ['rev-list', '--left-right', '--count', `${base}...${head}`]))
        .split('\t')
        .map(Number);
      return [head, { ahead, behind }] as const;
    }),
  );
};

for (const [name, { lay, walks }] of Object.entries(ways)) {
  void t.test(name, async (t) => {
    const made = await repository(t);
    await lay(made);
    const base = await must(made.directory, ['rev-parse', 'b600']);
    const expected = await (said ??= ask(made.directory, base));
    t.ok(expected.length > 50, 'more heads than one 32-bit word has bits');
    const found = await made.native.divergence(
      id,
      base,
      expected.map(([head]) => head),
    );
    t.strictSame([...found].toSorted(), expected.toSorted());
    t.equal(await made.walks(), walks);
  });
}

void t.test('commits too large to be read one by one are counted by git', async (t) => {
  const { directory, native, walks, write } = await repository(t);
  const commit = (mark: number, bytes: number): string =>
    `commit refs/heads/main\nmark :${mark}\ncommitter A <a@b> ${mark} +0000\ndata ${bytes}\n${'x'.repeat(bytes)}\n`;
  await write([commit(1, 1), commit(2, 100_000)]);
  const [tip = '', root = ''] = (await must(directory, ['rev-list', 'main'])).split('\n');
  t.strictSame([...(await native.divergence(id, root, [tip]))], [[tip, { ahead: 1, behind: 0 }]]);
  t.equal(await walks(), 1);
});
