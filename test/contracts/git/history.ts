// A history with everything that is hard for a reader of trees, made by fast-import from fixed input, so the oids are
// the same every time.
import { Buffer } from 'node:buffer';
import { mkdir } from 'node:fs/promises';
import { git, must } from './stock-git.ts';

export const binary = Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 7) % 256));
/** A name that is not valid UTF-8: `caf\xe9.txt`. */
export const latinName = Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x2e, 0x74, 0x78, 0x74]);
export const submodule = '1234567890123456789012345678901234567890';

const names = [
  'alpha',
  'beta',
  'gamma',
  'src/one',
  'src/two',
  'src/deep/three',
  'ünï cödé',
  'with space/and more',
  'line\nbreak',
];

/**
 * Makes a bare repository in a folder: `main` with unusual entries on top of many merges, tags of each kind, and many
 * small commits on `noise`.
 */
export async function makeHistory(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await must(folder, ['init', '-q', '--bare', '-b', 'main', '.']);
  const { code, stderr } = await git(folder, ['fast-import', '--quiet', '--date-format=raw'], {
    input: Buffer.concat([...tangle(), ...oddities(), ...noise()]),
  });
  if (code !== 0) throw new Error(`fast-import: ${stderr}`);
  const environment = { GIT_COMMITTER_DATE: '1700000000 +0000' };
  await must(folder, ['tag', '-a', '-m', 'first', 'v1', 'main~2'], { environment });
  await must(folder, ['tag', '-a', '-m', 'a tag of a tag', 'v1-again', 'v1'], { environment });
  await must(folder, ['tag', 'light', 'main~1']);
  await must(folder, ['tag', 'both', 'main~3']);
  await must(folder, ['branch', 'both', 'main~4']);
  await must(folder, ['branch', 'feature/ä', 'main~5']);
  return folder;
}

export const data = (content: string | Buffer): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
};
export const quoted = (name: string | Buffer): string =>
  `"${Buffer.from(name).toString('latin1').replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
export const line = (text: string): Buffer => Buffer.from(`${text}\n`, 'latin1');

let clock = 1_600_000_000;
function commit(
  branch: string,
  mark: number,
  message: string,
  parents: readonly string[],
  changes: readonly Buffer[],
): readonly Buffer[] {
  clock += 60;
  const [from, ...merged] = parents;
  return [
    line(`commit refs/heads/${branch}`),
    line(`mark :${mark}`),
    line(`author Ada <ada@example.org> ${clock} +0000`),
    line(`committer Ada <ada@example.org> ${clock} +0000`),
    data(message),
    ...(from === undefined ? [] : [line(`from ${from}`)]),
    ...merged.map((parent) => line(`merge ${parent}`)),
    ...changes,
  ];
}
/** A file of a commit, for fast-import. */
export const write = (name: string | Buffer, content: string | Buffer, mode = '100644'): readonly Buffer[] => [
  line(`M ${mode} inline ${quoted(name)}`),
  data(content),
];

/**
 * Three branches that change, revert and merge each other's files. Some merges take one side unchanged, others change
 * more.
 */
function* tangle(): Generator<Buffer> {
  clock = 1_600_000_000;
  let seed = 42;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const tips = [1, 1, 1];
  yield* commit(
    'main',
    1,
    'Begin\n\nwith a body',
    [],
    names.flatMap((name) => write(name, '0')),
  );
  for (let mark = 2; mark <= 150; mark += 1) {
    const lane = random(3);
    const other = (lane + 1 + random(2)) % 3;
    const own = tips[lane] ?? 1;
    const theirs = tips[other] ?? 1;
    const merge = random(4) === 0 && own !== theirs;
    const changed = names[random(names.length)] ?? 'alpha';
    // Few different values, so that contents repeat and both sides of a merge often agree.
    const changes =
      merge && random(2) === 0
        ? []
        : random(12) === 0 && changed !== 'alpha'
          ? [line(`D ${quoted(changed)}`)]
          : [...write(changed, String(random(3)))];
    yield* commit(
      ['main', 'side', 'other'][lane] ?? 'main',
      mark,
      `Change ${mark}`,
      merge ? [`:${own}`, `:${theirs}`] : [`:${own}`],
      changes,
    );
    tips[lane] = mark;
  }
  yield* commit(
    'main',
    151,
    'Merge three',
    [`:${tips[0] ?? 1}`, ...[...new Set(tips.slice(1))].filter((mark) => mark !== tips[0]).map((mark) => `:${mark}`)],
    [...write('alpha', 'merged')],
  );
}

function* oddities(): Generator<Buffer> {
  yield* commit(
    'main',
    152,
    'Add odd names',
    [':151'],
    [
      ...write(latinName, 'latin'),
      ...write('-dash', 'dash'),
      ...write('ünï cödé', 'again'),
      ...write('line\nbreak', 'again'),
      ...write('with space/and more', 'again'),
    ],
  );
  yield* commit(
    'main',
    153,
    'Add odd kinds',
    [':152'],
    [
      ...write('run.sh', '#!/bin/sh\n', '100755'),
      ...write('link', 'alpha', '120000'),
      line(`M 160000 ${submodule} module`),
      ...write('binary.dat', binary),
      ...write('empty', ''),
    ],
  );
  yield* commit('main', 154, 'Make a file executable', [':153'], [...write('-dash', 'dash', '100755')]);
  yield* commit('main', 155, 'Touch nothing', [':154'], []);
  yield* commit('main', 156, 'Größer\n\nbody', [':155'], [...write('src/deep/three', 'last')]);
}

/** Enough commits that some share their first four hex digits. */
function* noise(): Generator<Buffer> {
  for (let mark = 1000; mark < 1600; mark += 1)
    yield* commit('noise', mark, `Noise ${mark}`, mark === 1000 ? [] : [`:${mark - 1}`], []);
}
