// Generates pairs of trees for diffs from a seed: edited, renamed, executable, binary files, links and submodules, with
// every kind of line ending.
import { Buffer } from 'node:buffer';
import { data, line, quoted, submodule, write } from '../history.ts';

interface Entry {
  readonly mode: string;
  readonly content: Buffer;
}
export type Files = ReadonlyMap<string, Entry>;

/** The content of a repository before and after a change. */
export interface Change {
  readonly before: Files;
  readonly after: Files;
}

type Random = (below: number) => number;

function seeded(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const names = ['a', 'b/c', 'b/d e', 'ünï/cödé.ts', 'tab\tname', 'quo"te', 'back\\slash', 'new\nline', '-dash', 'b.c'];
const words = [
  'alpha',
  'beta',
  '',
  '  indented',
  'function f() {',
  '}',
  'größe',
  '-- dashes',
  '++ plus',
  '\tx',
  '@@ -1 +1 @@',
];

const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)] as T;

/** Lines as bytes. The last one may lack its newline; some are in Latin-1 or end in CR LF. */
function text(random: Random, lines: readonly string[]): Buffer {
  const ending = random(4) === 0 ? '\r\n' : '\n';
  const joined = lines.map((one) => one + ending).join('');
  const whole = random(4) === 0 ? joined.slice(0, -ending.length) : joined;
  return random(10) === 0 ? Buffer.from(`caf\xe9${ending}${whole}`, 'latin1') : Buffer.from(whole);
}

const linesOf = (random: Random, most: number): string[] =>
  Array.from({ length: random(most) }, () => `${pick(random, words)}${random(3) === 0 ? random(50) : ''}`);

const bytes = (random: Random): Buffer => Buffer.from(Array.from({ length: 1 + random(400) }, () => random(256) % 7));

function fresh(random: Random): Entry {
  const kind = random(12);
  if (kind === 0) return { mode: '120000', content: Buffer.from(pick(random, names)) };
  if (kind === 1) return { mode: '160000', content: Buffer.from(submodule.replaceAll('1', String(random(10)))) };
  return {
    mode: random(6) === 0 ? '100755' : '100644',
    content: kind === 2 ? bytes(random) : text(random, linesOf(random, 60)),
  };
}

function edited(random: Random, { mode, content }: Entry): Entry {
  if (mode.startsWith('12') || mode.startsWith('16') || random(8) === 0) return fresh(random);
  const lines = content.toString('latin1').split('\n');
  for (let edits = random(5); edits >= 0; edits -= 1)
    lines.splice(
      random(lines.length + 1),
      random(3),
      ...linesOf(random, 4).map((one) => Buffer.from(one).toString('latin1')),
    );
  return {
    mode: random(6) === 0 ? (mode === '100644' ? '100755' : '100644') : mode,
    content: Buffer.from(lines.join('\n'), 'latin1'),
  };
}

export function generatedChange(seed: number): Change {
  const random = seeded(seed);
  const before = new Map(names.filter(() => random(3) > 0).map((name) => [name, fresh(random)]));
  const after = new Map(before);
  for (const [name, entry] of before) {
    const what = random(6);
    if (what === 0) after.delete(name);
    else if (what === 1) {
      after.delete(name);
      after.set(`moved/${random(5)}${name}`, random(2) === 0 ? entry : edited(random, entry));
    } else if (what < 5) after.set(name, edited(random, entry));
  }
  if (random(2) === 0) after.set(`added ${random(9)}`, fresh(random));
  return { before, after };
}

/** Both trees as one commit each on the branches `before-N` and `after-N`, for fast-import. */
export function imports(changes: readonly Change[]): Buffer {
  const commit = (branch: string, files: Files): readonly Buffer[] => [
    line(`commit refs/heads/${branch}`),
    line('committer Ada <ada@example.org> 1700000000 +0000'),
    data(branch),
    ...[...files].flatMap(([name, { mode, content }]) =>
      mode === '160000' ? [line(`M 160000 ${content.toString()} ${quoted(name)}`)] : write(name, content, mode),
    ),
  ];
  return Buffer.concat(
    changes.flatMap(({ before, after }, index) => [
      ...commit(`before-${index}`, before),
      ...commit(`after-${index}`, after),
    ]),
  );
}
