// Finds renamed files among those that were removed and added, as `git diff -M` does (a port of diffcore-rename): equal
// ones first, then those with the same name, then the most similar ones.
import type { ObjectStore } from '../objects/object-store.ts';
import { noMode, type FilePair } from './tree-diff.ts';
import { copiedBytes, spansOf, wholeScore, type Spans } from './similarity.ts';

const leastScore = wholeScore / 2;
/** With the same name, files that are this similar are not compared with others. */
const leastNamedScore = leastScore + (wholeScore - leastScore) / 2;
/** More pairs are not compared. */
const mostPairs = 1000 ** 2;
const candidatesPerFile = 4;
/** Files larger than this are only renamed if they are equal. */
const largestCompared = 16 * 1024 ** 2;
/** Files with the same content that are looked at for the same name. */
const mostAlike = 100;

interface Source {
  readonly pair: FilePair;
  isUsed: boolean;
}

interface Target {
  readonly pair: FilePair;
  from: Source | undefined;
  score: number;
}

interface Candidate {
  readonly source: Source;
  readonly target: Target;
  readonly score: number;
  readonly hasName: boolean;
}

/** The pairs, in which a removed and an added file are one if the file was renamed. */
export function withRenames(store: ObjectStore, pairs: readonly FilePair[]): readonly FilePair[] {
  const sources = pairs.filter(({ newMode }) => newMode === noMode).map((pair): Source => ({ pair, isUsed: false }));
  const targets = pairs
    .filter(({ oldMode }) => oldMode === noMode)
    .map((pair): Target => ({ pair, from: undefined, score: 0 }));
  if (sources.length === 0 || targets.length === 0) return pairs;
  findEqual(sources, targets);
  const files = new Files(store);
  const left = (): { readonly open: readonly Source[]; readonly wanted: readonly Target[] } => ({
    open: sources.filter(({ isUsed }) => !isUsed),
    wanted: targets.filter(({ from }) => from === undefined),
  });
  const { open, wanted } = left();
  if (open.length > 0 && wanted.length > 0) {
    findNamed(files, open, wanted);
    const rest = left();
    if (rest.open.length * rest.wanted.length <= mostPairs) findSimilar(store, files, rest.open, rest.wanted);
  }
  const renamed = new Set(sources.filter(({ isUsed }) => isUsed).map(({ pair }) => pair));
  const renames = new Map(
    targets.flatMap(({ pair, from, score }) => (from === undefined ? [] : [[pair, { from: from.pair, score }]])),
  );
  return pairs.flatMap((pair) => {
    if (renamed.has(pair)) return [];
    const found = renames.get(pair);
    if (found === undefined) return [pair];
    const { from, score } = found;
    return [{ ...pair, oldPath: from.oldPath, oldMode: from.oldMode, oldOid: from.oldOid, score }];
  });
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const hasSameName = ({ pair: one }: Source, { pair: other }: Target): boolean =>
  baseName(one.oldPath) === baseName(other.newPath);
const isRegular = (mode: string): boolean => mode.startsWith('100');

function take(target: Target, source: Source, score: number): void {
  source.isUsed = true;
  target.from = source;
  target.score = score;
}

function findEqual(sources: readonly Source[], targets: readonly Target[]): void {
  const byOid = new Map<string, Source[]>();
  for (const source of sources) {
    const list = byOid.get(source.pair.oldOid) ?? [];
    list.push(source);
    byOid.set(source.pair.oldOid, list);
  }
  for (const target of targets) {
    let [best, seen]: [Source | undefined, number] = [undefined, 0];
    for (const source of byOid.get(target.pair.newOid) ?? []) {
      const [one, other] = [source.pair.oldMode, target.pair.newMode];
      if (source.isUsed || ((!isRegular(one) || !isRegular(other)) && one !== other)) continue;
      best ??= source;
      if (hasSameName(source, target)) {
        best = source;
        break;
      }
      seen += 1;
      if (seen > mostAlike) break;
    }
    if (best !== undefined) take(target, best, wholeScore);
  }
}

/** Files whose name is unique among those removed and those added. */
function findNamed(files: Files, open: readonly Source[], wanted: readonly Target[]): void {
  const sources = uniqueByName(open, ({ pair }) => pair.oldPath);
  const targets = uniqueByName(wanted, ({ pair }) => pair.newPath);
  for (const [name, source] of sources) {
    const target = targets.get(name);
    if (source === undefined || target === undefined) continue;
    const score = files.score(source.pair, target.pair, leastNamedScore);
    if (score >= leastNamedScore) take(target, source, score);
  }
}

function uniqueByName<T>(list: readonly T[], pathOf: (each: T) => string): ReadonlyMap<string, T | undefined> {
  const found = new Map<string, T | undefined>();
  for (const each of list) {
    const name = baseName(pathOf(each));
    found.set(name, found.has(name) ? undefined : each);
  }
  return found;
}

function findSimilar(store: ObjectStore, files: Files, open: readonly Source[], wanted: readonly Target[]): void {
  const candidates: Candidate[] = [];
  for (const target of wanted) {
    const best: Candidate[] = [];
    for (const source of open) {
      store.check();
      const score = files.score(source.pair, target.pair, leastScore);
      best.push({ source, target, score, hasName: hasSameName(source, target) });
      if (best.length <= candidatesPerFile) continue;
      best.sort(byScore);
      best.pop();
    }
    candidates.push(...best);
  }
  candidates.sort(byScore);
  for (const { source, target, score } of candidates) {
    if (score < leastScore) break;
    if (target.from === undefined && !source.isUsed) take(target, source, score);
  }
}

const byScore = (one: Candidate, other: Candidate): number =>
  other.score - one.score || Number(other.hasName) - Number(one.hasName);

/** Bytes of all contents that are compared. */
const mostBytes = 512 * 1024 ** 2;

/** Sizes and spans of files, each computed once. */
class Files {
  readonly #store: ObjectStore;
  readonly #spans = new Map<string, Spans>();
  #bytes = 0;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** 0 for files that are too different to be compared. */
  score(old: FilePair, now: FilePair, least: number): number {
    if (!isRegular(old.oldMode) || !isRegular(now.newMode)) return 0;
    const [one, other] = [this.#size(old.oldOid), this.#size(now.newOid)];
    const largest = Math.max(one, other);
    if (other === 0 || largest > largestCompared) return 0;
    if (largest * (wholeScore - least) < Math.abs(one - other) * wholeScore) return 0;
    return Math.floor((copiedBytes(this.#spansOf(old.oldOid), this.#spansOf(now.newOid)) * wholeScore) / largest);
  }

  readonly #sizes = new Map<string, number>();

  #size(oid: string): number {
    const known = this.#sizes.get(oid) ?? this.#store.header(oid)?.size ?? 0;
    this.#sizes.set(oid, known);
    return known;
  }

  #spansOf(oid: string): Spans {
    const known = this.#spans.get(oid);
    if (known !== undefined) return known;
    const content = this.#store.read(oid)?.content ?? Buffer.alloc(0);
    this.#bytes += content.length;
    const spans = this.#bytes > mostBytes ? new Map<number, number>() : spansOf(content);
    this.#spans.set(oid, spans);
    return spans;
  }
}
