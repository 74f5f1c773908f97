// A readable diff within limits: which files keep their sections, and binary literals of files that cannot be applied
// as text.
import { isUtf8 } from 'node:buffer';
import { deflateSync } from 'node:zlib';
import { longest } from '#core/repositories/git/clipping';
import {
  zeroOid,
  type DiffAlgorithm,
  type DiffCaps,
  type PassedCap,
  type Patch,
  type PatchedFile,
  type PatchSection,
} from '#core/repositories/git/git-backend';
import type { ObjectStore } from '../objects/object-store.ts';
import { decodedName } from '../objects/tree.ts';
import { base85 } from '#adapters/git-common/diffs/base85';
import { isTypeChange, sectionsOf, type FileSection } from './file-patch.ts';
import { noMode, type FilePair } from './tree-diff.ts';

const mostListed = 20_000;
/** The diff of more bytes than this many times the limit is not made. */
const passedOver = 16;

interface Kept {
  readonly section: FileSection;
  readonly shown: PatchSection;
  /** Whether the hunks cannot be applied as text. */
  readonly needsLiteral: boolean;
}

interface ReadFile {
  readonly pair: FilePair;
  readonly isBinary: boolean;
  readonly additions: number;
  readonly deletions: number;
  readonly kept: readonly Kept[];
  readonly omitted?: PassedCap;
}

export function patchOf(
  store: ObjectStore,
  pairs: readonly FilePair[],
  algorithm: DiffAlgorithm,
  caps: DiffCaps,
): Patch {
  const shown = pairs.slice(0, mostListed);
  let stopped: PassedCap | undefined =
    pairs.length > Math.min(caps.maxFiles, shown.length) ? 'file_count_cap' : undefined;
  let [bytes, seen, additions, deletions, isPartial] = [0, 0, 0, 0, false];
  const files: ReadFile[] = [];
  for (const [index, pair] of pairs.entries()) {
    const sections = sectionsOf(store, pair, algorithm);
    const counts = {
      additions: sections.reduce((sum, section) => sum + section.additions, 0),
      deletions: sections.reduce((sum, section) => sum + section.deletions, 0),
    };
    additions += counts.additions;
    deletions += counts.deletions;
    if (index >= mostListed) continue;
    const file = { pair, isBinary: sections.some(({ isBinary }) => isBinary), ...counts };
    const kept: Kept[] = [];
    let omitted: PassedCap | undefined = stopped;
    for (const section of sections) {
      if (stopped !== undefined) break;
      const length = section.header.length + section.hunks.length;
      seen += length;
      if (seen > passedOver * caps.maxTotalBytes) stopped = omitted ??= 'total_size_cap';
      else if (length > caps.maxFileBytes || hasMoreLines(section.hunks, caps.maxFileLines)) {
        omitted = 'diff_too_large';
        isPartial = true;
      } else if ((bytes += length) > caps.maxTotalBytes) stopped = omitted ??= 'total_size_cap';
      else kept.push(keptOf(section));
    }
    files.push({ ...file, kept: omitted === undefined ? kept : [], ...(omitted !== undefined && { omitted }) });
  }
  let omitted: PassedCap | undefined = stopped ?? (isPartial ? 'diff_too_large' : undefined);
  const literals = new Literals(store, caps);
  const hasText = omitted === undefined && files.some(({ isBinary }) => !isBinary);
  const patched = files.flatMap((file) => {
    const { pair } = file;
    if ([pair.oldPath, pair.newPath].some((path) => decodedName(path).length > longest.path)) return [];
    return [patchedFile(file, hasText ? literals : undefined)];
  });
  omitted ??= literals.omitted;
  return { files: patched, additions, deletions, ...(omitted !== undefined && { omitted }) };
}

function patchedFile(
  { pair, isBinary, additions, deletions, kept, omitted }: ReadFile,
  literals: Literals | undefined,
): PatchedFile {
  const { oldPath, newPath, oldMode, newMode } = pair;
  const sections = kept.map(({ section, shown, needsLiteral }) => {
    const literal = needsLiteral && literals !== undefined ? literals.of(section.newOid) : undefined;
    return literal === undefined ? shown : { ...shown, literal };
  });
  return {
    oldPath: decodedName(oldPath),
    newPath: decodedName(newPath),
    oldMode,
    newMode,
    isBinary,
    isAdd: oldMode === noMode,
    isDelete: newMode === noMode,
    isRename: pair.score !== undefined && !isTypeChange(pair),
    additions,
    deletions,
    sections,
    ...(omitted !== undefined && { omitted }),
  };
}

/**
 * The text after the second `@@` is cut at a byte count, possibly within a character. It must not make the hunks count
 * as invalid UTF-8.
 */
const withoutHeadings = (hunks: Buffer): Buffer =>
  Buffer.from(hunks.toString('latin1').replace(/^(@@ -[\d,]+ \+[\d,]+ @@)[^\n]*/gm, '$1'), 'latin1');

function keptOf(section: FileSection): Kept {
  const { header, hunks, isBinary } = section;
  if (isBinary && !header.includes('\nBinary files '))
    return { section, shown: { header, hunks: '' }, needsLiteral: false };
  if (isBinary) {
    const differ = header.lastIndexOf('\nBinary files ') + 1;
    return { section, shown: { header: header.slice(0, differ), hunks: '' }, needsLiteral: true };
  }
  const text = hunks.toString('utf8');
  if (isUtf8(hunks) || isUtf8(withoutHeadings(hunks)))
    return { section, shown: { header, hunks: text }, needsLiteral: false };
  return { section, shown: { header: header.slice(0, header.indexOf('\n--- ') + 1), hunks: text }, needsLiteral: true };
}

function hasMoreLines(hunks: Buffer, most: number): boolean {
  let at = hunks.length === 0 ? 0 : hunks.indexOf(0x0a) + 1;
  // The first line is counted too, as a line of the hunks.
  for (let lines = hunks.length === 0 ? 0 : 1; at > 0 && at < hunks.length; lines += 1) {
    if (lines === most) return true;
    at = hunks.indexOf(0x0a, at) + 1;
  }
  return false;
}

/** Whole contents as `GIT binary patch`, up to the limits. */
class Literals {
  omitted: PassedCap | undefined;
  readonly #store: ObjectStore;
  readonly #caps: DiffCaps;
  #room: number;

  constructor(store: ObjectStore, caps: DiffCaps) {
    this.#store = store;
    this.#caps = caps;
    this.#room = caps.maxTotalBytes;
  }

  of(oid: string): string | undefined {
    if (this.omitted !== undefined) return undefined;
    const size = oid === zeroOid ? 0 : (this.#store.header(oid)?.size ?? 0);
    if (size > this.#caps.maxFileBytes) {
      this.omitted = 'diff_too_large';
      return undefined;
    }
    this.#room -= size;
    if (this.#room < 0) {
      this.omitted = 'total_size_cap';
      return undefined;
    }
    const content = oid === zeroOid ? Buffer.alloc(0) : (this.#store.read(oid)?.content ?? Buffer.alloc(0));
    return `GIT binary patch\nliteral ${content.length}\n${base85(deflateSync(content))}\n`;
  }
}
