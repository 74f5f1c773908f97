// Random pairs of histories from a seed, to compare merges with those of stock git: renames against edits, modes,
// links, deletions, line endings, criss-cross merges, cherry-picked commits, and unrelated histories.
import { Buffer } from 'node:buffer';

interface File {
  readonly mode: '100644' | '100755' | '120000';
  readonly content: string;
}
type Tree = ReadonlyMap<string, File>;
type Random = (below: number) => number;

/** The mulberry32 generator. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** The input for fast-import, and the number of branch pairs it makes. */
export interface MergeHistories {
  readonly script: string;
  /** The branches are `ours-N` and `theirs-N` for each N below this number. */
  readonly pairs: number;
}

export function mergeHistories(seed: number, pairs: number): MergeHistories {
  const importing = new Importing();
  for (let pair = 0; pair < pairs; pair += 1) makePair(importing, pair, randomOf(seed * 100_003 + pair));
  return { script: importing.script, pairs };
}

interface Commit {
  readonly mark: number;
  readonly tree: Tree;
}

class Importing {
  readonly #lines: string[] = [];
  #mark = 0;

  get script(): string {
    return `${this.#lines.join('\n')}\ndone\n`;
  }

  commit(branch: string, tree: Tree, parents: readonly Commit[], message: string): Commit {
    this.#mark += 1;
    const time = 1_700_000_000 + this.#mark * 60;
    this.#lines.push(
      ...(parents.length === 0 ? [`reset refs/heads/${branch}`] : []),
      `commit refs/heads/${branch}`,
      `mark :${this.#mark}`,
      `author Author ${this.#mark % 3} <author${this.#mark % 3}@example.org> ${time} +0${this.#mark % 10}00`,
      `committer Committer <committer@example.org> ${time} +0000`,
      data(message),
      ...parents.map(({ mark }, index) => `${index === 0 ? 'from' : 'merge'} :${mark}`),
      'deleteall',
      ...[...tree].map(([path, { mode, content }]) => `M ${mode} inline ${path}\n${data(content)}`),
      '',
    );
    return { mark: this.#mark, tree };
  }
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}`;

const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta'];
const folders = ['', 'lib/', 'lib/deep/', 'doc/'];

function someFile(random: Random): File {
  if (random(8) === 0) return { mode: '120000', content: `to-${words[random(words.length)]}` };
  const end = random(5) === 0 ? '\r\n' : '\n';
  const lines = Array.from(
    { length: 6 + random(14) },
    (_, at) => `${words[random(words.length)]} ${at} ${words[random(words.length)]}`,
  );
  return { mode: random(6) === 0 ? '100755' : '100644', content: lines.join(end) + (random(6) === 0 ? '' : end) };
}

function someTree(random: Random): Tree {
  const tree = new Map<string, File>();
  for (let count = 4 + random(6); count > 0; count -= 1)
    put(tree, `${folders[random(folders.length)]}${words[random(words.length)]}`, someFile(random));
  return tree;
}

/** Writes a file and removes files and folders that conflict with its path. */
function put(tree: Map<string, File>, path: string, file: File): void {
  for (const other of tree.keys()) if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) tree.delete(other);
  tree.set(path, file);
}

const edited = (file: File, random: Random): File => {
  const end = file.content.includes('\r\n') ? '\r\n' : '\n';
  const lines = file.content.split(end);
  const at = random(lines.length);
  const line = `edited ${random(3)} ${words[random(words.length)]}`;
  const change = random(4);
  if (change === 0) lines.splice(at, 1);
  else lines.splice(at, change === 1 ? 0 : 1, line);
  return { ...file, content: lines.join(end) };
};

/** Each function makes one typical change. */
const changes: readonly ((tree: Map<string, File>, path: string, file: File, random: Random) => void)[] = [
  ...Array.from({ length: 4 }, () => (tree: Map<string, File>, path: string, file: File, random: Random): void => {
    if (file.mode !== '120000') tree.set(path, edited(file, random));
  }),
  (tree, path, file, random) => {
    tree.delete(path);
    put(tree, `${folders[random(folders.length)]}renamed-${random(4)}`, file);
  },
  (tree, path, file, random) => {
    tree.delete(path);
    put(tree, `${path}-moved`, file.mode === '120000' ? file : edited(file, random));
  },
  (tree) => {
    for (const [path, file] of tree)
      if (path.startsWith('lib/')) {
        tree.delete(path);
        put(tree, path.replace('lib/', 'src/'), file);
      }
  },
  (tree, path) => void tree.delete(path),
  (tree, path, file) => {
    if (file.mode !== '120000') tree.set(path, { ...file, mode: file.mode === '100755' ? '100644' : '100755' });
  },
  (tree, path, file) => {
    tree.set(
      path,
      file.mode === '120000' ? { mode: '100644', content: 'a file\n' } : { mode: '120000', content: 'to' },
    );
  },
  (tree, path, file) => {
    if (file.mode !== '120000')
      tree.set(path, {
        ...file,
        content: file.content.includes('\r\n')
          ? file.content.replaceAll('\r\n', '\n')
          : file.content.replaceAll('\n', '\r\n'),
      });
  },
  (tree, _path, _file, random) => put(tree, `${folders[random(folders.length)]}new-${random(3)}`, someFile(random)),
  (tree, path, file) => {
    tree.delete(path);
    put(tree, `${path}/inside`, file);
  },
  (tree, path, _file, random) => tree.set(path, { mode: '100644', content: `\0binary ${random(4)}\n` }),
  (tree) => void tree.size,
];

function changed(tree: Tree, random: Random): Tree {
  const next = new Map(tree);
  for (let count = 1 + random(2); count > 0; count -= 1) {
    const entries = [...next];
    const [path, file] = entries[random(entries.length)] ?? [];
    if (path === undefined || file === undefined) return someTree(random);
    changes[random(changes.length)]?.(next, path, file, random);
  }
  return next;
}

function makePair(importing: Importing, pair: number, random: Random): void {
  const [ours, theirs] = [`ours-${pair}`, `theirs-${pair}`];
  const begun = someTree(random);
  const base = importing.commit(ours, begun, [], 'base');
  const unrelated = random(20) === 0;
  let left = base;
  let right = unrelated
    ? importing.commit(theirs, someTree(random), [], 'another base')
    : importing.commit(theirs, changed(begun, random), [base], 'theirs 0');
  const shape = random(10);
  for (let count = random(4); count > 0; count -= 1)
    left = importing.commit(ours, changed(left.tree, random), [left], `ours ${count}\n\nwith a body`);
  for (let count = random(4); count > 0; count -= 1)
    right = importing.commit(theirs, changed(right.tree, random), [right], `theirs ${count}`);
  if (shape === 0 && !unrelated) {
    // Criss-cross: each side merges the previous tip of the other.
    const [before, other] = [left, right];
    left = importing.commit(ours, united(before.tree, other.tree), [before, other], 'merge theirs');
    right = importing.commit(theirs, united(other.tree, before.tree), [other, before], 'merge ours');
  } else if (shape === 1) {
    // The source has merged a branch made from itself.
    const side = importing.commit(theirs, changed(right.tree, random), [right], 'side');
    const own = importing.commit(theirs, changed(right.tree, random), [right], 'own');
    right = importing.commit(theirs, united(own.tree, side.tree), [own, side], 'merge side');
  } else if (shape === 2) {
    // Both sides have the same change.
    const picked = new Map([...left.tree, ['picked', { mode: '100644', content: 'picked\n' } as const]]);
    left = importing.commit(ours, picked, [left], 'picked');
    right = importing.commit(
      theirs,
      new Map([...right.tree, ['picked', { mode: '100644', content: 'picked\n' } as const]]),
      [right],
      'picked',
    );
  } else if (shape === 3) right = importing.commit(theirs, right.tree, [right], 'empty');
  for (let count = random(3); count > 0; count -= 1) {
    left = importing.commit(ours, changed(left.tree, random), [left], `ours again ${count}`);
    right = importing.commit(theirs, changed(right.tree, random), [right], `theirs again ${count}`);
  }
}

function united(one: Tree, other: Tree): Tree {
  const tree = new Map(one);
  for (const [path, file] of other) if (!tree.has(path)) put(tree, path, file);
  return tree;
}
