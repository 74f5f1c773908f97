// Structured diffs per file, each by one `git diff-tree` within size limits, cached by query.
import { Unprocessable } from '#core/kernel/errors';
import { zeroOid, type Oid, type Patch, type PatchedFile } from '#core/repositories/git/git-backend';
import { SingleFlightCache } from '../process/single-flight-cache.ts';
import type { Objects } from '../objects/objects.ts';
import type { Foundation } from '../foundation.ts';
import { TooCostly } from '../process/too-costly.ts';
import type { Located } from '../storage/visits.ts';
import { binaryLiteral } from './binary-literal.ts';
import { diffTree } from './diff-tree.ts';
import { PatchReader, type ReadFile } from './patch-reader.ts';

/** Characters of all cached diffs together. */
const mostKept = 32_000_000;

/** Throws `Unprocessable` if the diff exceeds the time or memory limit of one computation. */
export function patch(parts: Foundation, objects: Objects): Located<'patch'> {
  const known = new SingleFlightCache<Patch>(mostKept, weightOf);
  return async (location, query, caps, signal) => {
    const content = async (oid: Oid): Promise<Buffer | undefined> =>
      oid === zeroOid ? Buffer.alloc(0) : (await objects.small(location, oid, caps.maxFileBytes))?.content;
    const compute = async (inner: AbortSignal): Promise<Patch> => {
      const reader = new PatchReader(caps);
      if (await diffTree(parts, location, query, inner, (chunk) => reader.take(chunk))) reader.end();
      return await withLiterals(reader, new Literals(content, caps.maxTotalBytes), inner);
    };
    try {
      return await known.get(`${location.cacheKey}:${JSON.stringify([query, caps])}`, signal, compute, parts.heavy);
    } catch (error) {
      if (!(error instanceof TooCostly)) throw error;
      throw new Unprocessable('The commits are too far apart to be compared', { detail: error.message, cause: error });
    }
  };
}

async function withLiterals(reader: PatchReader, literals: Literals, signal: AbortSignal): Promise<Patch> {
  const { additions, deletions, files } = reader;
  const whole = (made: readonly PatchedFile[], omitted = reader.omitted): Patch => ({
    files: made.filter(({ newPath }) => newPath !== ''),
    additions,
    deletions,
    ...(omitted !== undefined && { omitted }),
  });
  // Without any text patch, binary contents are not read either.
  if (reader.omitted !== undefined || files.every(({ listed }) => listed.isBinary)) return whole(files.map(patched));
  const complete: PatchedFile[] = [];
  for (const file of files) {
    signal.throwIfAborted();
    complete.push(await literals.into(file));
  }
  return whole(complete, literals.omitted);
}

/** Adds binary literals to sections whose hunks cannot be applied as text, up to the total size limit. */
class Literals {
  omitted: 'diff_too_large' | 'total_size_cap' | undefined;
  readonly #content: (oid: Oid) => Promise<Buffer | undefined>;
  #room: number;

  constructor(content: (oid: Oid) => Promise<Buffer | undefined>, room: number) {
    this.#content = content;
    this.#room = room;
  }

  async into(file: ReadFile): Promise<PatchedFile> {
    const plain = patched(file);
    if (file.sections.every(({ blob }) => blob === undefined)) return plain;
    const sections = [];
    for (const { header, hunks, blob } of file.sections) {
      const literal = blob === undefined ? undefined : await this.#of(blob);
      sections.push({ header, hunks, ...(literal !== undefined && { literal }) });
    }
    return { ...plain, sections };
  }

  async #of(blob: Oid): Promise<string | undefined> {
    if (this.omitted !== undefined) return undefined;
    const content = await this.#content(blob);
    this.#room -= content?.length ?? 0;
    if (content === undefined) this.omitted = 'diff_too_large';
    else if (this.#room < 0) this.omitted = 'total_size_cap';
    else return await binaryLiteral(content);
    return undefined;
  }
}

const patched = ({ listed, sections, omitted }: ReadFile): PatchedFile => ({
  oldPath: listed.previousPath ?? listed.path,
  newPath: listed.path,
  oldMode: listed.oldMode,
  newMode: listed.newMode,
  isBinary: listed.isBinary,
  isAdd: listed.letter === 'A',
  isDelete: listed.letter === 'D',
  isRename: listed.letter === 'R',
  additions: listed.additions,
  deletions: listed.deletions,
  sections: sections.map(({ header, hunks }) => ({ header, hunks })),
  ...(omitted !== undefined && { omitted }),
});

const weightOf = ({ files }: Patch): number =>
  files.reduce(
    (weight, { oldPath, newPath, sections }) =>
      sections.reduce(
        (sum, { header, hunks, literal = '' }) => sum + header.length + hunks.length + literal.length,
        weight + 300 + oldPath.length + newPath.length,
      ),
    300,
  );
