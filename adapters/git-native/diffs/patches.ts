// Structured diffs per file, each by one `git diff-tree` within size limits, cached by query.
import { Buffer } from 'node:buffer';
import { Unprocessable } from '#core/kernel/errors';
import {
  zeroOid,
  type DiffCaps,
  type Oid,
  type Patch,
  type PatchedFile,
  type PatchQuery,
} from '#core/repositories/git/git-backend';
import { SingleFlightCache } from '../process/single-flight-cache.ts';
import type { Objects } from '../objects/objects.ts';
import type { Foundation } from '../foundation.ts';
import { TooCostly } from '../process/too-costly.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { binaryLiteral } from './binary-literal.ts';
import { diffTree } from './diff-tree.ts';
import { PatchReader, type ReadFile } from './patch-reader.ts';

/** Characters of all cached diffs together. */
const mostKept = 32_000_000;

type Parts = Foundation & { readonly objects: Objects };

export class Patches {
  readonly #parts: Parts;
  readonly #known = new SingleFlightCache<Patch>(mostKept, weightOf);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws {Unprocessable} if the diff exceeds the time or memory limit of one computation. */
  async of(location: RepositoryLocation, query: PatchQuery, caps: DiffCaps, signal?: AbortSignal): Promise<Patch> {
    try {
      return await this.#known.get(
        `${location.cacheKey}:${JSON.stringify([query, caps])}`,
        signal,
        (inner) => this.#compute(location, query, caps, inner),
        this.#parts.heavy,
      );
    } catch (error) {
      if (!(error instanceof TooCostly)) throw error;
      throw new Unprocessable('The commits are too far apart to be compared', { detail: error.message, cause: error });
    }
  }

  async #compute(location: RepositoryLocation, query: PatchQuery, caps: DiffCaps, signal: AbortSignal): Promise<Patch> {
    const reader = new PatchReader(caps);
    if (await diffTree(this.#parts, location, query, signal, (chunk) => reader.take(chunk))) reader.end();
    const { additions, deletions } = reader;
    const whole = (files: readonly PatchedFile[], omitted = reader.omitted): Patch => ({
      files: files.filter(({ newPath }) => newPath !== ''),
      additions,
      deletions,
      ...(omitted !== undefined && { omitted }),
    });
    const files = reader.files;
    // Without any text patch, binary contents are not read either.
    if (reader.omitted !== undefined || files.every(({ listed }) => listed.isBinary)) return whole(files.map(patched));
    const literals = new Literals((oid) => this.#content(location, oid, caps.maxFileBytes), caps.maxTotalBytes);
    const complete: PatchedFile[] = [];
    for (const file of files) {
      signal.throwIfAborted();
      complete.push(await literals.into(file));
    }
    return whole(complete, literals.omitted);
  }

  async #content(location: RepositoryLocation, oid: Oid, most: number): Promise<Buffer | undefined> {
    if (oid === zeroOid) return Buffer.alloc(0);
    return (await this.#parts.objects.small(location, oid, most))?.content;
  }
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
