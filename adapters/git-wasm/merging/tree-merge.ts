// Merges three trees: the changes of theirs since the base are applied to ours, with renamed files found on both sides.
import { zeroOid, type Oid } from '#core/repositories/git/git-backend';
import { isTypeChange } from '../diffs/file-patch.ts';
import { withRenames } from '../diffs/renames.ts';
import { noMode, treeDiff, type FilePair } from '../diffs/tree-diff.ts';
import { hashOf } from '../objects/loose-objects.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { decodedName, entriesIn, folderMode, treeContent } from '../objects/tree.ts';
import { treeAt } from '../objects/object-tasks.ts';
import type { ObjectType } from '../packs/formats.ts';
import { directoryConflicts } from './directory-renames.ts';
import { textMerge } from './text-merge.ts';

/** A file: what its path has on one side. */
interface File {
  readonly mode: string;
  readonly oid: Oid;
}

export interface MergedTree {
  /** Without a meaning if there are conflicts. */
  readonly tree: Oid;
  readonly isClean: boolean;
  /** Paths, sorted, without duplicates. */
  readonly conflicts: readonly string[];
}

/** Files that are larger are not merged line by line. */
const largestText = 16 * 1024 ** 2;

/** Adds an object to those that the task has made. */
export function add(store: ObjectStore, type: ObjectType, content: Buffer): Oid {
  const oid = hashOf(type, content);
  store.added.set(oid, { type, content });
  return oid;
}

export function mergeTrees(store: ObjectStore, base: Oid, ours: Oid, theirs: Oid): MergedTree {
  if (ours === theirs || base === theirs) return { tree: ours, isClean: true, conflicts: [] };
  if (base === ours) return { tree: theirs, isClean: true, conflicts: [] };
  const merge = new TreeMerge(store, base, ours, theirs);
  merge.run();
  return merge.result();
}

class TreeMerge {
  readonly #store: ObjectStore;
  readonly #ours: Oid;
  readonly #left: ReadonlyMap<string, FilePair>;
  readonly #right: readonly FilePair[];
  /** Paths of files that our side has renamed or added, by their new path. */
  readonly #leftMade: ReadonlyMap<string, FilePair>;
  readonly #edits = new Map<string, File | undefined>();
  readonly #conflicts = new Set<string>();
  /** Whether there is a conflict without a path. */
  #isSplit = false;

  constructor(store: ObjectStore, base: Oid, ours: Oid, theirs: Oid) {
    this.#store = store;
    this.#ours = ours;
    const changes = (to: Oid): readonly FilePair[] => withRenames(store, [...treeDiff(store, base, to)]);
    const left = changes(ours);
    this.#left = new Map(left.filter(({ oldMode }) => oldMode !== noMode).map((pair) => [pair.oldPath, pair]));
    this.#leftMade = new Map(left.filter(isMade).map((pair) => [pair.newPath, pair]));
    this.#right = changes(theirs);
    for (const found of [
      directoryConflicts(store, { changes: left, tree: ours }, this.#right),
      directoryConflicts(store, { changes: this.#right, tree: theirs }, left),
    ]) {
      for (const path of found.paths) this.#conflicts.add(path);
      this.#isSplit ||= found.isSplit;
    }
  }

  run(): void {
    for (const pair of this.#right) {
      this.#store.check();
      if (pair.oldMode === noMode) this.#place(pair.newPath, { mode: pair.newMode, oid: pair.newOid });
      else this.#change(pair);
    }
  }

  result(): MergedTree {
    const tree = this.#conflicts.size > 0 || this.#isSplit ? zeroOid : this.#written();
    const conflicts = [...this.#conflicts].map(decodedName).toSorted();
    const isClean = conflicts.length === 0 && !this.#isSplit;
    return { tree: isClean ? tree : zeroOid, isClean, conflicts };
  }

  /** A file of the base that their side has changed. */
  #change(theirs: FilePair): void {
    const path = theirs.oldPath;
    const ours = this.#left.get(path);
    const isGone = theirs.newMode === noMode;
    if (ours === undefined) {
      if (isGone || theirs.newPath !== path) this.#edits.set(path, undefined);
      if (!isGone) this.#move(theirs.newPath, path, { mode: theirs.newMode, oid: theirs.newOid });
      return;
    }
    if (ours.newMode === noMode || isGone) {
      if (ours.newMode !== noMode) this.#conflicts.add(ours.newPath);
      else if (!isGone) this.#conflicts.add(theirs.newPath);
      return;
    }
    const [ourMove, theirMove] = [ours.newPath !== path, theirs.newPath !== path];
    if (ourMove && theirMove && ours.newPath !== theirs.newPath) {
      for (const each of [path, ours.newPath, theirs.newPath]) this.#conflicts.add(each);
      return;
    }
    const target = ourMove ? ours.newPath : theirs.newPath;
    // A file that became a link, or the other way round, is not the file that the other side has renamed.
    const isOther = (ourMove && isTypeChange(theirs)) || (theirMove && isTypeChange(ours));
    const file = isOther ? undefined : this.#merged(ours, theirs);
    if (file === undefined) {
      this.#conflicts.add(target);
      return;
    }
    if (target === ours.newPath) this.#edits.set(target, file);
    else {
      this.#edits.set(ours.newPath, undefined);
      this.#move(target, ours.newPath, file);
    }
  }

  /** Puts a renamed or changed file at its path, unless our side has another one there. */
  #move(target: string, from: string, file: File): void {
    if (target === from) this.#edits.set(target, file);
    else this.#place(target, file);
  }

  #place(path: string, file: File): void {
    const present = this.#leftMade.get(path);
    if (present !== undefined && (present.newMode !== file.mode || present.newOid !== file.oid))
      this.#conflicts.add(path);
    else this.#edits.set(path, file);
  }

  /** Undefined for a conflict. */
  #merged(ours: FilePair, theirs: FilePair): File | undefined {
    const mode = pick(ours.oldMode, ours.newMode, theirs.newMode);
    if (mode === undefined) return undefined;
    const oid = pick(ours.oldOid, ours.newOid, theirs.newOid) ?? this.#mergedText(ours, theirs);
    return oid === undefined ? undefined : { mode, oid };
  }

  #mergedText(ours: FilePair, theirs: FilePair): Oid | undefined {
    if (![ours.oldMode, ours.newMode, theirs.newMode].every((mode) => mode.startsWith('100'))) return undefined;
    const texts = [ours.oldOid, ours.newOid, theirs.newOid].map((oid) => this.#text(oid));
    const [base, one, other] = texts;
    if (base === undefined || one === undefined || other === undefined) return undefined;
    const merged = textMerge(base, one, other, this.#store.check);
    return merged && add(this.#store, 'blob', merged);
  }

  /** Undefined for a file that is binary or too large. */
  #text(oid: Oid): Buffer | undefined {
    if ((this.#store.header(oid)?.size ?? 0) > largestText) return undefined;
    const content = this.#store.read(oid)?.content;
    return content?.subarray(0, 8000).includes(0) === true ? undefined : content;
  }

  #written(): Oid {
    const edits = [...this.#edits].map(([path, file]): Edit => ({ segments: path.split('/'), file, path }));
    return this.#folder(this.#ours, edits, 0) ?? add(this.#store, 'tree', Buffer.alloc(0));
  }

  /** A folder with these changes; undefined if it becomes empty. */
  #folder(tree: Oid | undefined, edits: readonly Edit[], depth: number): Oid | undefined {
    const content = tree === undefined ? Buffer.alloc(0) : treeAt(this.#store, tree);
    const entries = new Map([...entriesIn(content)].map((entry) => [entry.name, entry]));
    const below = new Map<string, Edit[]>();
    const here = new Map<string, Edit>();
    for (const edit of edits) {
      const name = edit.segments[depth] ?? '';
      if (edit.segments.length === depth + 1) here.set(name, edit);
      else below.set(name, [...(below.get(name) ?? []), edit]);
    }
    // Removals first: a file may become a folder.
    for (const [name, { file }] of here)
      if (file === undefined && entries.get(name)?.mode !== folderMode) entries.delete(name);
    for (const [name, inside] of below) {
      const present = entries.get(name);
      if (present !== undefined && present.mode !== folderMode) {
        if (inside.some(({ file }) => file !== undefined))
          this.#conflicts.add(inside[0]?.segments.slice(0, depth + 1).join('/') ?? '');
        continue;
      }
      const made = this.#folder(present?.oid, inside, depth + 1);
      if (made === undefined) entries.delete(name);
      else entries.set(name, { name, mode: folderMode, oid: made });
    }
    for (const [name, { file, path }] of here) {
      if (file === undefined) continue;
      if (entries.get(name)?.mode === folderMode) this.#conflicts.add(path);
      else entries.set(name, { name, ...file });
    }
    return entries.size === 0 ? undefined : add(this.#store, 'tree', treeContent([...entries.values()]));
  }
}

interface Edit {
  readonly segments: readonly string[];
  readonly file: File | undefined;
  readonly path: string;
}

const isMade = ({ oldMode, newMode, oldPath, newPath }: FilePair): boolean =>
  newMode !== noMode && (oldMode === noMode || oldPath !== newPath);

/** The value of the side that has changed it; undefined if both have, differently. */
const pick = (base: string, ours: string, theirs: string): string | undefined =>
  ours === theirs || base === theirs ? ours : base === ours ? theirs : undefined;
