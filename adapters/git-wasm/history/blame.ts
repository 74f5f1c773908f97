// Blame: the commit that each line of a file comes from, as git-blame(1) finds it, through renames of the whole file.
import { Unprocessable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git/git-backend';
import type { BlamedLine } from '#core/repositories/git/git-history';
import { lineDiff, withoutCommonTail } from '../diffs/lines/line-diff.ts';
import { withRenames } from '../diffs/renames.ts';
import { noMode, treeDiff } from '../diffs/tree-diff.ts';
import type { Commit } from '../objects/commit.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { commitRecord } from '../objects/records.ts';
import { assertCommits } from './ancestry.ts';
import { PathAt } from './rev-list.ts';
import { CommitQueue } from './queue.ts';

/** Bytes of a file that is blamed, and characters of a line. */
const [largestFile, longestLine] = [16 * 1024 ** 2, 2 * 1024 ** 2];

/** A file in a commit to which lines are traced. */
interface Origin {
  /** Bytes as latin1. */
  readonly path: string;
  readonly mode: string;
  readonly blob: Oid;
}

/** Lines of an origin, ascending, and the lines of the blamed file that they are. */
interface Lines {
  readonly origin: Origin;
  own: number[];
  final: number[];
}

/** Undefined if there is no file at the path. */
export function blame(store: ObjectStore, tip: Oid, path: string): readonly BlamedLine[] | undefined {
  assertCommits(store, tip);
  const blaming = new Blaming(store);
  const commit = store.commit(tip);
  const origin = commit && blaming.originAt(commit, Buffer.from(path, 'utf8').toString('latin1'));
  const content = origin && blaming.contentOf(origin.blob);
  if (commit === undefined || origin === undefined || content === undefined) return undefined;
  const texts = linesOf(content);
  const oids = blaming.run(commit, origin, texts.length);
  const unknown = { name: '', email: '', date: new Date(0) };
  const authors = new Map([...new Set(oids)].map((oid) => [oid, commitRecord(store, oid)?.author ?? unknown]));
  return texts.map((line, index) => {
    const oid = oids[index] ?? '';
    return { content: line.toString('utf8').slice(0, longestLine), oid, author: authors.get(oid) ?? unknown };
  });
}

/** The lines without their newlines. */
function linesOf(content: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < content.length;) {
    const newline = content.indexOf(0x0a, at);
    const end = newline < 0 ? content.length : newline;
    lines.push(content.subarray(at, end));
    at = end + 1;
  }
  return lines;
}

class Blaming {
  readonly #store: ObjectStore;
  /** Lookups by path, because each remembers the trees it has seen. */
  readonly #lookups = new Map<string, PathAt>();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  contentOf(oid: Oid): Buffer | undefined {
    const header = this.#store.header(oid);
    if (header?.type !== 'blob') return undefined;
    if (header.size > largestFile)
      throw new Unprocessable('The file is too large to be blamed', {
        detail: `It has ${header.size} bytes; ${largestFile} are allowed`,
      });
    return this.#store.read(oid)?.content;
  }

  originAt({ tree }: Commit, path: string): Origin | undefined {
    const lookup =
      this.#lookups.get(path) ??
      new PathAt(
        this.#store,
        path.split('/').map((each) => Buffer.from(each, 'latin1').toString('utf8')),
      );
    this.#lookups.set(path, lookup);
    const [mode, blob] = lookup.of(tree)?.split(' ') ?? [];
    return mode === undefined || blob === undefined || mode === '040000' || mode === '160000'
      ? undefined
      : { path, mode, blob };
  }

  /** The oid of the commit of each line. */
  run(tip: Commit, origin: Origin, count: number): readonly Oid[] {
    const answers: Oid[] = Array.from({ length: count }, () => tip.oid);
    const all = Array.from({ length: count }, (_, index) => index);
    const waiting = new Map<Oid, Map<string, Lines>>([
      [tip.oid, new Map([[origin.path, { origin, own: all, final: all }]])],
    ]);
    const queue = new CommitQueue();
    queue.add(tip);
    const hand = (parent: Commit, found: Origin, own: number[], final: number[]): void => {
      if (own.length === 0) return;
      const there = waiting.get(parent.oid);
      if (there === undefined) {
        waiting.set(parent.oid, new Map([[found.path, { origin: found, own, final }]]));
        queue.add(parent);
        return;
      }
      const known = there.get(found.path);
      if (known === undefined) there.set(found.path, { origin: found, own, final });
      else merge(known, own, final);
    };
    for (let commit = queue.take(); commit !== undefined; commit = queue.take()) {
      const here = waiting.get(commit.oid);
      waiting.delete(commit.oid);
      for (const lines of here?.values() ?? []) {
        this.#store.check();
        this.#pass(commit, lines, hand);
        for (const line of lines.final) answers[line] = commit.oid;
      }
    }
    return answers;
  }

  /** Hands lines to the parents that have them; the others stay. */
  #pass(
    commit: Commit,
    lines: Lines,
    hand: (parent: Commit, found: Origin, own: number[], final: number[]) => void,
  ): void {
    const { origin } = lines;
    const parents = commit.parents.flatMap((oid) => this.#store.commit(oid) ?? []);
    const found: (Origin | undefined)[] = parents.map(() => undefined);
    for (const find of [this.#same, this.#renamed]) {
      for (const [index, parent] of parents.entries()) {
        if (found[index] !== undefined) continue;
        const candidate = find.call(this, commit, parent, origin);
        if (candidate === undefined) continue;
        if (candidate.blob === origin.blob) {
          hand(parent, candidate, lines.own, lines.final);
          [lines.own, lines.final] = [[], []];
          return;
        }
        if (!found.slice(0, index).some((other) => other?.blob === candidate.blob)) found[index] = candidate;
      }
    }
    for (const [index, parent] of parents.entries()) {
      const candidate = found[index];
      if (candidate === undefined) continue;
      this.#passUnchanged(lines, parent, candidate, hand);
      if (lines.own.length === 0) return;
    }
  }

  #same(_commit: Commit, parent: Commit, { path, mode }: Origin): Origin | undefined {
    const found = this.originAt(parent, path);
    // A link that became a file is another file.
    return found !== undefined && found.mode.slice(0, 3) === mode.slice(0, 3) ? found : undefined;
  }

  #renamed(commit: Commit, parent: Commit, { path }: Origin): Origin | undefined {
    if (this.originAt(parent, path) !== undefined) return undefined;
    const pairs = [...treeDiff(this.#store, parent.tree, commit.tree)].filter(
      ({ newPath, oldMode, newMode }) => newMode === noMode || (oldMode === noMode && newPath === path),
    );
    const rename = withRenames(this.#store, pairs).find(
      ({ newPath, score }) => newPath === path && score !== undefined,
    );
    return rename && { path: rename.oldPath, mode: rename.oldMode, blob: rename.oldOid };
  }

  #passUnchanged(
    lines: Lines,
    parent: Commit,
    candidate: Origin,
    hand: (parent: Commit, found: Origin, own: number[], final: number[]) => void,
  ): void {
    const [old, now] = [this.contentOf(candidate.blob), this.contentOf(lines.origin.blob)];
    if (old === undefined || now === undefined) return;
    const { changes } = lineDiff(...withoutCommonTail(old, now), 'myers', this.#store.check);
    const [own, final, keptOwn, keptFinal]: [number[], number[], number[], number[]] = [[], [], [], []];
    let [at, shift] = [0, 0];
    for (const [index, line] of lines.own.entries()) {
      for (
        let change = changes[at];
        change !== undefined && change.newStart + change.added <= line;
        change = changes[at]
      ) {
        shift = change.oldStart + change.removed - (change.newStart + change.added);
        at += 1;
      }
      const change = changes[at];
      const whole = lines.final[index] ?? 0;
      if (change !== undefined && change.newStart <= line) {
        keptOwn.push(line);
        keptFinal.push(whole);
      } else {
        own.push(line + shift);
        final.push(whole);
      }
    }
    [lines.own, lines.final] = [keptOwn, keptFinal];
    hand(parent, candidate, own, final);
  }
}

/** Adds lines in ascending order. */
function merge(lines: Lines, own: readonly number[], final: readonly number[]): void {
  const [mergedOwn, mergedFinal]: [number[], number[]] = [[], []];
  let other = 0;
  const takeOther = (): void => {
    mergedOwn.push(own[other] ?? 0);
    mergedFinal.push(final[other] ?? 0);
    other += 1;
  };
  for (const [index, line] of lines.own.entries()) {
    while (other < own.length && (own[other] ?? 0) < line) takeOther();
    mergedOwn.push(line);
    mergedFinal.push(lines.final[index] ?? 0);
  }
  while (other < own.length) takeOther();
  [lines.own, lines.final] = [mergedOwn, mergedFinal];
}
