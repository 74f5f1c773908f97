// Reads a diff within size limits: its files, and the patch of each file that is not too large.
import { isUtf8 } from 'node:buffer';
import type { DiffCaps, Oid, PassedCap } from '#core/repositories/git/git-backend';
import { Blocks, type Block } from './blocks.ts';
import { DiffListing, sectionsOf, type ListedFile } from './listing.ts';

const mostListed = 20_000;
/**
 * Patches that are too large to keep are read too, and do not count towards `maxTotalBytes`. Reading therefore also
 * stops after this many times `maxTotalBytes` of output, kept or not.
 */
const passedOver = 16;

/** One `diff --git` block. A file has two if its type changes: a deletion and an addition. */
export interface ReadSection {
  readonly header: string;
  readonly hunks: string;
  /** The oid of the blob after the change, if the file is binary or not UTF-8; `zeroOid` if the file was deleted. */
  readonly blob?: Oid;
}

export interface ReadFile {
  readonly listed: ListedFile;
  readonly sections: readonly ReadSection[];
  readonly omitted?: PassedCap;
}

export class PatchReader {
  readonly #caps: DiffCaps;
  readonly #listing = new DiffListing(mostListed);
  readonly #blocks: Blocks;
  /** The sections read so far, by file. The last file may be incomplete. An undefined section was too large. */
  readonly #sections: (ReadSection | undefined)[][] = [];
  #bytes = 0;
  #seen = 0;
  /** The limit that stopped the reading. */
  #stopped: PassedCap | undefined;

  constructor(caps: DiffCaps) {
    this.#caps = caps;
    this.#blocks = new Blocks(caps.maxFileBytes);
  }

  /** Returns whether more output is wanted. */
  take(chunk: Buffer): boolean {
    const patches = this.#listing.ended ? chunk : this.#listing.take(chunk);
    if (patches === undefined) return true;
    const { files, listed } = this.#listing;
    if (listed > Math.min(this.#caps.maxFiles, files.length)) this.#stopped = 'file_count_cap';
    this.#seen += patches.length;
    if (this.#seen > passedOver * this.#caps.maxTotalBytes) this.#stopped ??= 'total_size_cap';
    return this.#stopped === undefined && this.#keepAll(this.#blocks.take(patches));
  }

  /** To be called when git ran to its end. */
  end(): void {
    this.#keepAll(this.#blocks.end());
  }

  get additions(): number {
    return this.#listing.additions;
  }

  get deletions(): number {
    return this.#listing.deletions;
  }

  /** Why at least one patch is missing. Other files may have theirs. */
  get omitted(): PassedCap | undefined {
    return this.#stopped ?? (this.#sections.some((own) => own.includes(undefined)) ? 'diff_too_large' : undefined);
  }

  get files(): readonly ReadFile[] {
    return this.#listing.files.map((listed, index) => {
      const own = this.#sections[index] ?? [];
      const sections = own.filter((section) => section !== undefined);
      if (sections.length === sectionsOf(listed)) return { listed, sections };
      return {
        listed,
        sections: [],
        omitted: own.length > sections.length ? 'diff_too_large' : (this.#stopped ?? 'diff_too_large'),
      };
    });
  }

  #keepAll(blocks: Iterable<Block>): boolean {
    for (const block of blocks) if (!this.#keep(block)) return false;
    return true;
  }

  #keep(block: Block): boolean {
    const { files } = this.#listing;
    let at = this.#sections.length - 1;
    const current = files[at];
    if (current === undefined || this.#sections[at]?.length === sectionsOf(current)) at += 1;
    if (files[at] === undefined) return false;
    const own = (this.#sections[at] ??= []);
    if (block === undefined || isLonger(block, this.#caps.maxFileLines)) {
      own.push(undefined);
      return true;
    }
    this.#bytes += block.length;
    if (this.#bytes > this.#caps.maxTotalBytes) {
      this.#stopped = 'total_size_cap';
      return false;
    }
    own.push(sectionOf(block));
    return true;
  }
}

/** Whether the hunks have more than `most` lines. */
function isLonger(block: Buffer, most: number): boolean {
  let at = block.indexOf('\n@@ ') + 1;
  for (let lines = 0; at > 0 && at < block.length; lines += 1) {
    if (lines === most) return true;
    at = block.indexOf(0x0a, at) + 1;
  }
  return false;
}

/**
 * Removes the text after the second `@@`, which git cuts at a byte count, possibly within a character. It must not make
 * the hunks count as invalid UTF-8.
 */
const withoutHeadings = (hunks: Buffer): Buffer =>
  Buffer.from(hunks.toString('latin1').replace(/^(@@ -[\d,]+ \+[\d,]+ @@)[^\n]*/gm, '$1'), 'latin1');

function sectionOf(block: Buffer): ReadSection {
  const hunksAt = block.indexOf('\n@@ ') + 1;
  const differAt = block.indexOf('\nBinary files ') + 1;
  if (hunksAt === 0 && differAt === 0) return { header: block.toString('utf8'), hunks: '' };
  const header = block.toString('utf8', 0, hunksAt === 0 ? differAt : hunksAt);
  if (hunksAt > 0) {
    const bytes = block.subarray(hunksAt);
    const hunks = bytes.toString('utf8');
    if (isUtf8(bytes) || isUtf8(withoutHeadings(bytes))) return { header, hunks };
    return { header: header.slice(0, header.indexOf('\n--- ') + 1), hunks, ...blobAfter(header) };
  }
  return { header, hunks: '', ...blobAfter(header) };
}

const blobAfter = (header: string): { readonly blob?: Oid } => {
  const blob = /^index [0-9a-f]{40}\.\.([0-9a-f]{40})/m.exec(header)?.[1];
  return blob === undefined ? {} : { blob };
};
