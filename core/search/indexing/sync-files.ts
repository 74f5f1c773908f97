// Brings the files of one repository in one index up to the tip of its default branch.
import type { Log } from '#core/kernel/services/log';
import type { GitBackend, Oid, Repository, TreeChange } from '#core/repositories/index';
import type { SearchIndex } from '../model/backend.ts';
import { codeSection, type IndexSource, type MovedFile, type StoredEntry } from '../model/documents.ts';
import { isEligiblePath } from './eligible.ts';
import { FileBatch } from './file-batch.ts';
import { fileStateText, readFileState, type FileState } from './file-state.ts';
import { docsSection } from './markdown-document.ts';
import { readFile, readText, type FileParts } from './read-file.ts';
import { languageOf } from '#core/repositories/index';

export interface SyncParts extends Omit<FileParts, 'git'> {
  readonly git: Pick<GitBackend, 'blob' | 'readRefs' | 'sizes' | 'treeChanges'>;
  readonly log: Log;
  /** Bytes of eligible files; a larger repository is not indexed. */
  readonly mostBytes: number;
}

/** The most changed files that are applied as changes; more are found by comparing all files. */
const mostChanges = 2000;
/** Files that are compared at a time. */
const compared = 1000;
/** Files that are read at the same time. */
const readAtOnce = 8;

/** Whether the files are those of the tip, or time ran out before. */
export type Synced = 'done' | 'unfinished';

export function syncFiles({ git, symbols, log, mostBytes }: SyncParts) {
  /** @param isOver whether to stop; what was stored stays, and the next call continues there. */
  return async (
    index: SearchIndex,
    repository: Repository,
    {
      forced,
      isOver,
      signal,
    }: { readonly forced: boolean; readonly isOver: () => boolean; readonly signal: AbortSignal },
  ): Promise<Synced> => {
    const source: IndexSource = { section: codeSection, repositoryId: repository.id };
    const docs: IndexSource = { section: docsSection, repositoryId: repository.id };
    const [tip] = await tipOf(repository);
    const state = readFileState(await index.state(source));
    if (state !== undefined && state.after === undefined && state.tip === tip && !forced) return 'done';
    if (tip === undefined) {
      await index.remove(docs);
      await index.remove(source);
      await index.write(source, {}, fileStateText({ tip }));
      return 'done';
    }
    const changes = forced ? undefined : await changesSince(state, tip);
    if (changes !== undefined) {
      // Until the last write, the stored state requires a comparison of all files.
      await index.write(source, {}, fileStateText({ tip, after: '' }));
      await apply(changes);
      await index.write(source, {}, fileStateText({ tip }));
      return 'done';
    }
    return await compare();

    /** The changes from a state that is whole; undefined if there are too many, or if its commit is gone. */
    async function changesSince(from: FileState | undefined, to: Oid): Promise<readonly TreeChange[] | undefined> {
      if (from?.tip === undefined || from.after !== undefined || from.tooLarge === true) return undefined;
      try {
        const { changes: found, more } = await git.treeChanges(
          repository.id,
          from.tip,
          to,
          { limit: mostChanges },
          signal,
        );
        return more ? undefined : found;
      } catch (error) {
        signal.throwIfAborted();
        log.info({ repository: repository.id, err: error }, 'the indexed commit cannot be compared; reading all files');
        return undefined;
      }
    }

    async function apply(all: readonly TreeChange[]): Promise<void> {
      const { moved, rest } = movesIn(all);
      const batch = new FileBatch(index, source, docs, fileStateText({ tip, after: '' }));
      for (const { move, oid } of moved)
        // A file that is not indexed, such as a binary one, is not stored.
        if ((await readText(git, repository.id, { path: move.to, oid }, signal)) !== undefined) batch.move(move);
      for (const { path, new: oid } of rest) if (oid === undefined || !isEligiblePath(path)) batch.remove(path);
      await read(
        batch,
        rest.flatMap(({ path, new: oid }) => (oid !== undefined && isEligiblePath(path) ? { path, oid } : [])),
      );
      await batch.flush();
    }

    /** Reads files into the batch. A file that is not indexed is removed, because an earlier content may have been. */
    async function read(
      batch: FileBatch,
      files: readonly { readonly path: string; readonly oid: Oid }[],
    ): Promise<void> {
      for (let at = 0; at < files.length; at += readAtOnce) {
        const some = files.slice(at, at + readAtOnce);
        const found = await Promise.all(some.map((file) => readFile({ git, symbols }, repository, file, signal)));
        for (const [place, one] of found.entries())
          if (one === undefined) batch.remove(some[place]?.path ?? '');
          else batch.put(one);
        if (batch.isFull) await batch.flush();
      }
    }

    async function compare(): Promise<Synced> {
      const resumes = !forced && state?.after !== undefined && state.tip === tip;
      const again = forced || state?.forced === true;
      if (!resumes && (await isTooLarge())) {
        await index.remove(docs);
        await index.remove(source);
        await index.write(source, {}, fileStateText({ tip, tooLarge: true }));
        log.warn({ repository: repository.id, most: mostBytes }, 'the repository is too large to be indexed');
        return 'done';
      }
      const stored = new StoredFiles(index, source, resumes ? (state.after ?? '') : '');
      for (let after = resumes ? (state.after ?? '') : ''; ;) {
        const { changes: files, more } = await git.treeChanges(
          repository.id,
          undefined,
          tip ?? '',
          { after: after === '' ? undefined : after, limit: compared },
          signal,
        );
        const last = more ? files.at(-1)?.path : undefined;
        const progress = { tip, after: last ?? after, ...(again && { forced: true }) };
        const batch = new FileBatch(index, source, docs, fileStateText({ ...progress, after }));
        const entries = await stored.upTo(last);
        const wanted = new Map(
          files.flatMap(({ path, new: oid }) => (oid === undefined ? [] : [[path, oid] as const])),
        );
        for (const { key } of entries) if (!wanted.has(key) || !isEligiblePath(key)) batch.remove(key);
        const known = new Map(entries.map(({ key, oid }) => [key, oid]));
        await read(
          batch,
          files.flatMap(({ path, new: oid }) =>
            oid !== undefined && isEligiblePath(path) && (again || known.get(path) !== oid) ? { path, oid } : [],
          ),
        );
        await batch.flush();
        await index.write(source, {}, fileStateText(last === undefined ? { tip } : progress));
        if (last === undefined) return 'done';
        if (isOver()) return 'unfinished';
        after = last;
      }
    }

    async function isTooLarge(): Promise<boolean> {
      const sizes = await git.sizes(repository.id, tip ?? '', (path) => (isEligiblePath(path) ? 'all' : ''), signal);
      return (sizes.get('all') ?? 0) > mostBytes;
    }
  };

  async function tipOf({ id, defaultBranch }: Repository): Promise<readonly [Oid | undefined]> {
    const [oid] = await git.readRefs(id, [`refs/heads/${defaultBranch}`]);
    return [oid === undefined || /^0+$/.test(oid) ? undefined : oid];
  }
}

/** Pairs removed and added files of the same content. Markdown is read again, because its document has its path. */
function movesIn(changes: readonly TreeChange[]): {
  readonly moved: readonly { readonly move: MovedFile; readonly oid: Oid }[];
  readonly rest: readonly TreeChange[];
} {
  const removed = new Map<Oid, TreeChange[]>();
  for (const change of changes)
    if (change.old !== undefined && change.new === undefined && isMovable(change.path))
      removed.set(change.old, [...(removed.get(change.old) ?? []), change]);
  const moved: { readonly move: MovedFile; readonly oid: Oid }[] = [];
  const paired = new Set<TreeChange>();
  for (const change of changes) {
    if (change.old !== undefined || change.new === undefined || !isMovable(change.path)) continue;
    const from = removed.get(change.new)?.pop();
    if (from === undefined || languageOf(from.path) !== languageOf(change.path)) continue;
    moved.push({
      move: { from: from.path, to: change.path, language: languageOf(change.path) },
      oid: change.new,
    });
    paired.add(change).add(from);
  }
  return { moved, rest: changes.filter((change) => !paired.has(change)) };
}

const isMovable = (path: string): boolean => isEligiblePath(path) && languageOf(path) !== 'markdown';

/** The stored files of a source in the order of their paths, read page by page. */
class StoredFiles {
  readonly #index: SearchIndex;
  readonly #source: IndexSource;
  #after: string;
  #page: readonly StoredEntry[] = [];
  #ended = false;

  constructor(index: SearchIndex, source: IndexSource, after: string) {
    this.#index = index;
    this.#source = source;
    this.#after = after;
  }

  /** Those that follow the earlier ones, up to and including this path; all if it is undefined. */
  async upTo(last: string | undefined): Promise<readonly StoredEntry[]> {
    const found: StoredEntry[] = [];
    for (;;) {
      const beyond = last === undefined ? -1 : this.#page.findIndex(({ key }) => isAfter(key, last));
      found.push(...(beyond < 0 ? this.#page : this.#page.slice(0, beyond)));
      this.#page = beyond < 0 ? [] : this.#page.slice(beyond);
      if (beyond >= 0 || this.#ended) return found;
      this.#page = await this.#index.entries(this.#source, this.#after === '' ? undefined : this.#after, compared);
      this.#after = this.#page.at(-1)?.key ?? this.#after;
      this.#ended = this.#page.length < compared;
    }
  }
}

const utf8 = new TextEncoder();

/** Compares the bytes of UTF-8, as git orders paths. */
function isAfter(one: string, other: string): boolean {
  const [a, b] = [utf8.encode(one), utf8.encode(other)];
  const at = a.findIndex((byte, place) => byte !== b[place]);
  return at < 0 ? false : (a[at] ?? 0) > (b[at] ?? -1);
}
