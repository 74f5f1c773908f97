// The changes of a merge request as its page shows them: files with their lines, within limits, and the texts of the
// files for highlighting.
import { NotFound } from '#core/kernel/errors';
import { within } from '#core/kernel/limits/within';
import { hunksOf, type GitBackend, type Oid, type PatchedFile } from '#core/repositories/index';
import { placedAt, type Place } from '../discussion/placed.ts';
import type { Anchor } from '../model/comment.ts';
import { ofDiff, rangeOf, type DiffParts } from '../model/diff.ts';
import { knownRequest, settledRequest, type Reading } from '../model/held-request.ts';
import type { MergeRequest } from '../model/merge-request.ts';
import type { MergeParts } from '../model/parts.ts';
import type { FileDiff, OfRequest } from './files.ts';

type Parts = Pick<MergeParts, 'store' | 'settling' | 'reviews'> & DiffParts;

export interface ChangesCommand extends OfRequest {
  /** The head that a review looked at: only what changed since then. */
  readonly since?: Oid | undefined;
  /** Only this file, without the limits of lines. */
  readonly path?: string | undefined;
}

/** The text of a file at one of the two commits. */
export interface FileText {
  readonly oid: Oid;
  readonly text: string;
}

export interface ShownFile extends FileDiff {
  /** Whether the lines were not read, because those of other files reached the limit. */
  readonly leftOut: boolean;
  /** Undefined if the file does not exist, is too large, or could not be read in time. */
  readonly old: FileText | undefined;
  readonly new: FileText | undefined;
}

export interface RequestChanges {
  readonly from: Oid;
  readonly to: Oid;
  /** Sorted by path. */
  readonly files: readonly ShownFile[];
  readonly additions: number;
  readonly deletions: number;
}

/** The most files with lines, and lines of all of them. */
const most = { files: 100, lines: 5000 } as const;
/** The most files whose texts are read, and bytes of each. */
const mostTexts = { files: 40, bytes: 512 * 1024 } as const;

/**
 * @throws {NotFound} also if no review looked at `since`; {Unavailable} if the diff cannot be computed; {Conflict}
 * `commits_pruned`.
 */
export const requestChanges =
  (parts: Parts) =>
  async (
    { resource, call: { signal } }: Reading,
    { number, algorithm = parts.diffs.algorithm, since, path }: ChangesCommand,
  ): Promise<RequestChanges> => {
    const { git, diffs } = parts;
    const request = await settledRequest(parts, resource, number, signal);
    if (since !== undefined) await checkReviewed(parts, request, since);
    const read = await ofDiff(parts, request, signal, async (inner) => {
      const to = request.headOid;
      const from = since ?? (await rangeOf(parts, request, inner)).from;
      const patchOf = (paths?: readonly string[]) =>
        git.patch(resource.id, { from, to, algorithm, paths }, diffs.caps, inner);
      const { files, additions, deletions } = await patchOf();
      const one = path === undefined ? undefined : await alone(files, path, patchOf);
      return {
        from,
        to,
        additions,
        deletions,
        files: path === undefined ? limited(files) : one === undefined ? [] : [one],
      };
    });
    if (path !== undefined && read.files.length === 0)
      throw new NotFound('The merge request does not change this file');
    return { ...read, files: await withTexts(git, resource.id, read, read.files, signal) };
  };

/** @throws {NotFound} */
async function checkReviewed({ reviews }: Parts, { id: requestId }: MergeRequest, since: Oid): Promise<void> {
  const given = await reviews.find({ where: { requestId }, orderBy: ['id'] });
  if (!given.some(({ commitOid }) => commitOid === since)) throw new NotFound('No review looked at this commit');
}

type Read = Omit<ShownFile, 'old' | 'new'>;

/** The files, with lines until a limit is reached. */
function limited(files: readonly PatchedFile[]): readonly Read[] {
  let [shown, left]: [number, number] = [0, most.lines];
  return files.map((file): Read => {
    const lines = file.isBinary ? 0 : linesOf(file);
    if (lines === 0) return { file, hunks: [], leftOut: false };
    if (shown === most.files || lines > left) return { file, hunks: [], leftOut: true };
    [shown, left] = [shown + 1, left - lines];
    return { file, hunks: hunksOf(file.sections), leftOut: false };
  });
}

function linesOf({ sections }: PatchedFile): number {
  let lines = 0;
  for (const { hunks } of sections)
    for (let at = hunks.indexOf('\n'); at >= 0; at = hunks.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** One file. If it exceeded the limits of the whole diff, it is diffed again on its own. */
async function alone(
  files: readonly PatchedFile[],
  path: string,
  patchOf: (paths: readonly string[]) => ReturnType<GitBackend['patch']>,
): Promise<Read | undefined> {
  const named = (all: readonly PatchedFile[]) =>
    all.find(({ newPath }) => newPath === path) ?? all.find(({ oldPath }) => oldPath === path);
  const listed = named(files);
  if (listed === undefined) return undefined;
  const again = listed.omitted !== undefined && listed.omitted !== 'diff_too_large';
  const paths = [...new Set([listed.oldPath, listed.newPath])];
  const file = again ? (named((await patchOf(paths)).files) ?? listed) : listed;
  return { file, hunks: file.isBinary ? [] : hunksOf(file.sections), leftOut: false };
}

/** Adds the texts of the first files. Without them, the lines are shown without highlighting. */
async function withTexts(
  git: GitBackend,
  repositoryId: string,
  { from, to }: Pick<RequestChanges, 'from' | 'to'>,
  files: readonly Read[],
  signal: AbortSignal,
): Promise<readonly ShownFile[]> {
  const texts = new Map<Read, Pick<ShownFile, 'old' | 'new'>>();
  await within(signal, async (inner) => {
    const shown = files.filter(({ hunks }) => hunks.length > 0).slice(0, mostTexts.files);
    for (const one of shown) {
      inner.throwIfAborted();
      const { isAdd, isDelete, oldPath, newPath } = one.file;
      const read = (commit: Oid, path: string) => textAt(git, repositoryId, commit, path, inner);
      const [old, now] = await Promise.all([
        isAdd ? undefined : read(from, oldPath),
        isDelete ? undefined : read(to, newPath),
      ]);
      texts.set(one, { old, new: now });
    }
  }).catch(() => signal.throwIfAborted());
  return files.map((one) => ({ old: undefined, new: undefined, ...one, ...texts.get(one) }));
}

async function textAt(
  git: GitBackend,
  repositoryId: string,
  commit: Oid,
  path: string,
  signal: AbortSignal,
): Promise<FileText | undefined> {
  const entry = await git.entry(repositoryId, commit, path);
  if (entry?.type !== 'file' || entry.size > mostTexts.bytes) return undefined;
  const utf8 = new TextDecoder('utf-8');
  let text = '';
  for await (const chunk of (await git.blob(repositoryId, entry.oid, signal)).bytes)
    text += utf8.decode(chunk, { stream: true });
  return { oid: entry.oid, text: text + utf8.decode() };
}

/** The places of anchors at a commit of the request. @throws {NotFound} */
export const placesOf =
  (parts: Pick<MergeParts, 'store' | 'git'>) =>
  async (
    { resource, call: { signal } }: Reading,
    { number, anchors, commit }: { readonly number: number; readonly anchors: readonly Anchor[]; readonly commit: Oid },
  ): Promise<readonly (Place | undefined)[]> => {
    const { repositoryId } = await knownRequest(parts, resource, number);
    return placedAt(parts.git, repositoryId, anchors, commit, signal);
  };
