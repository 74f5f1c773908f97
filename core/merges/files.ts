// The files that a merge request changes: a page of them, and one with its hunks.
import { found } from '#core/kernel/errors';
import { offsetOf, type Page, type PageRequest } from '#core/kernel/page';
import type { DiffAlgorithm, PatchedFile } from '#core/repositories/index';
import { filesOf, ofDiff, type DiffParts } from './diff.ts';
import { knownRequest, type Reading } from './held-request.ts';
import { hunksOf, type DiffHunk } from './hunks.ts';
import type { MergeParts } from './parts.ts';

type Parts = Pick<MergeParts, 'store'> & DiffParts;

/** Which request, and how the lines of its diff are matched. */
export interface OfRequest {
  readonly number: number;
  readonly algorithm?: DiffAlgorithm | undefined;
}

/** One file of a merge request, to be read. */
export interface FileDiff {
  readonly file: PatchedFile;
  /** None where they are suppressed. */
  readonly hunks: readonly DiffHunk[];
}

/** @throws {NotFound}; {Unavailable} where there is no diff. */
export const listFiles =
  (parts: Parts) =>
  async (
    { resource, call: { signal } }: Reading,
    { number, algorithm, ...page }: OfRequest & PageRequest,
  ): Promise<Page<PatchedFile>> => {
    const request = await knownRequest(parts, resource, number);
    const files = await ofDiff(parts, request, signal, (inner) => filesOf(parts, request, { algorithm }, inner));
    const from = offsetOf(page);
    return { items: files.slice(from, from + page.perPage), total: files.length, ...page };
  };

/** What was past the caps of the whole diff is asked for alone. @throws as `listFiles`. */
export const fetchFile =
  (parts: Parts) =>
  async (
    { resource, call: { signal } }: Reading,
    { number, algorithm, path }: OfRequest & { readonly path: string },
  ): Promise<FileDiff> => {
    const request = await knownRequest(parts, resource, number);
    const { file } = await ofDiff(parts, request, signal, async (inner) => {
      const listed = named(await filesOf(parts, request, { algorithm }, inner), path);
      if (listed?.omitted === undefined || listed.omitted === 'diff_too_large') return { file: listed };
      const paths = [...new Set([listed.oldPath, listed.newPath])];
      return { file: named(await filesOf(parts, request, { algorithm, paths }, inner), path) ?? listed };
    });
    return read(found(file, 'The merge request does not change this file'));
  };

/** Document B, "File diff": the new path is looked at first. */
const named = (files: readonly PatchedFile[], path: string): PatchedFile | undefined =>
  files.find(({ newPath }) => newPath === path) ?? files.find(({ oldPath }) => oldPath === path);

const read = (file: PatchedFile): FileDiff => ({ file, hunks: file.isBinary ? [] : hunksOf(file.sections) });
