// The files that a merge request changes: a page of files, or one file with its hunks.
import { found } from '#core/kernel/errors';
import { offsetOf, type Page, type PageRequest } from '#core/kernel/page';
import { hunksOf, type DiffAlgorithm, type DiffHunk, type PatchedFile } from '#core/repositories/index';
import { filesOf, ofDiff, type DiffParts } from '../model/diff.ts';
import { settledRequest, type Reading } from '../model/held-request.ts';
import type { MergeParts } from '../model/parts.ts';

type Parts = Pick<MergeParts, 'store' | 'settling'> & DiffParts;

/** Selects a request and the algorithm of its diff. */
export interface OfRequest {
  readonly number: number;
  readonly algorithm?: DiffAlgorithm | undefined;
}

/** One file of a merge request with its hunks. */
export interface FileDiff {
  readonly file: PatchedFile;
  /** Empty if the hunks are suppressed. */
  readonly hunks: readonly DiffHunk[];
}

/** @throws {NotFound}; {Unavailable} if the diff cannot be computed; {Conflict} `commits_pruned`. */
export const listFiles =
  (parts: Parts) =>
  async (
    { resource, call: { signal } }: Reading,
    { number, algorithm, ...page }: OfRequest & PageRequest,
  ): Promise<Page<PatchedFile>> => {
    const request = await settledRequest(parts, resource, number, signal);
    const files = await ofDiff(parts, request, signal, (inner) => filesOf(parts, request, { algorithm }, inner));
    const from = offsetOf(page);
    return { items: files.slice(from, from + page.perPage), total: files.length, ...page };
  };

/** If the file exceeded the limits of the whole diff, it is diffed again on its own. @throws as `listFiles`. */
export const fetchFile =
  (parts: Parts) =>
  async (
    { resource, call: { signal } }: Reading,
    { number, algorithm, path }: OfRequest & { readonly path: string },
  ): Promise<FileDiff> => {
    const request = await settledRequest(parts, resource, number, signal);
    const { file } = await ofDiff(parts, request, signal, async (inner) => {
      const listed = named(await filesOf(parts, request, { algorithm }, inner), path);
      if (listed?.omitted === undefined || listed.omitted === 'diff_too_large') return { file: listed };
      const paths = [...new Set([listed.oldPath, listed.newPath])];
      return { file: named(await filesOf(parts, request, { algorithm, paths }, inner), path) ?? listed };
    });
    return read(found(file, 'The merge request does not change this file'));
  };

/** New paths have precedence over old paths. */
const named = (files: readonly PatchedFile[], path: string): PatchedFile | undefined =>
  files.find(({ newPath }) => newPath === path) ?? files.find(({ oldPath }) => oldPath === path);

const read = (file: PatchedFile): FileDiff => ({ file, hunks: file.isBinary ? [] : hunksOf(file.sections) });
