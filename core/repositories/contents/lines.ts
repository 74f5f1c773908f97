// Reads lines of a text file, within the limits of one reading.
import type { Granted } from '#core/kernel/access/access';
import { Unprocessable, ValidationFailed } from '#core/kernel/errors';
import type { GitBackend, Oid } from '../git/git-backend.ts';
import type { Repository } from '../model/repository.ts';
import { looksBinary } from './contents.ts';
import { entryAt } from './revisions.ts';

const newline = 0x0a;
/** The most bytes that are read to find a line. Larger files are for clones. */
const mostScanned = 32 * 1024 ** 2;
/** The most lines and bytes of one reading. */
export const readingLimits = { lines: 2000, bytes: 256 * 1024 } as const;

export interface LinesCommand {
  readonly path: string;
  readonly ref?: string | undefined;
  /** From 1. */
  readonly start?: number | undefined;
  /** Included. */
  readonly end?: number | undefined;
}

/** Lines of a file. */
export interface FileLines {
  readonly path: string;
  readonly type: 'file' | 'symlink';
  readonly commit: Oid;
  readonly sha: Oid;
  /** Of the whole file, in bytes. */
  readonly size: number;
  readonly bytes: Uint8Array;
  readonly start: number;
  /** The last line of `bytes`; one less than `start` for an empty file. */
  readonly end: number;
  /** Undefined if the file was not read to its end. */
  readonly lines: number | undefined;
  /** Whether lines that were asked for are missing. */
  readonly truncated: boolean;
  /** Whether the last line is not complete. */
  readonly cut: boolean;
}

/**
 * Lines of a text file, within the limits of one reading. A symbolic link is its target as text.
 * @throws {NotFound | Unprocessable | ValidationFailed}
 */
export const readLines =
  ({ git }: { readonly git: GitBackend }) =>
  async ({ resource, call }: Granted<Repository, 'repo.read'>, command: LinesCommand): Promise<FileLines> => {
    const { path, start = 1, end } = command;
    if (end !== undefined && end < start)
      throw new ValidationFailed('The range of lines is empty', {
        detail: `"end_line" (${end}) must not be below "start_line" (${start})`,
      });
    const { commit, entry } = await entryAt(git, resource, command);
    const { type, oid: sha } = entry;
    if (type === 'directory')
      throw new Unprocessable(`"${path}" is a folder`, { detail: 'list_tree shows what is in it' });
    if (type === 'submodule')
      throw new Unprocessable(`"${path}" is a submodule`, { detail: 'Its files are in another repository' });
    const { bytes, size } = await git.blob(resource.id, sha, call.signal);
    const found = await scan(bytes, { start, end: Math.min(end ?? Infinity, start + readingLimits.lines - 1) });
    if (found.binary)
      throw new Unprocessable(`"${path}" is a binary file of ${size} bytes`, {
        detail: 'It cannot be read as text; clone the repository to use it',
      });
    if (found.passed && found.end < start)
      throw new Unprocessable(`The lines of "${path}" begin too far into the file`, {
        detail: `Only the first ${mostScanned} bytes can be searched for lines; clone the repository to read on`,
      });
    if (start > 1 && found.lines !== undefined && start > found.lines)
      throw new Unprocessable(`"${path}" has no line ${start}`, { detail: `It has ${found.lines} lines` });
    const wanted = Math.min(end ?? Infinity, found.lines ?? Infinity);
    return {
      path,
      type,
      commit,
      sha,
      size,
      start,
      bytes: found.bytes,
      end: found.end,
      lines: found.lines,
      truncated: found.cut || found.end < wanted,
      cut: found.cut,
    };
  };

interface Scanned {
  readonly bytes: Uint8Array;
  readonly end: number;
  readonly lines: number | undefined;
  readonly binary: boolean;
  readonly cut: boolean;
  /** Whether the scan ended before the file and the lines. */
  readonly passed: boolean;
}

/** Collects the lines, and counts all lines as long as that takes no more than what was collected. */
async function scan(
  source: AsyncIterable<Uint8Array>,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<Scanned> {
  const kept: Uint8Array[] = [];
  let [line, read, held, lastFull, endsOpen] = [1, 0, 0, 0, false];
  let [binary, full, complete] = [false, false, true];
  for await (const chunk of source) {
    if (read === 0) binary = looksBinary(chunk);
    if (binary) break;
    read += chunk.length;
    let from = line >= start && line <= end && !full ? 0 : -1;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) {
      if (from !== -1) ({ held, full } = keep(kept, chunk.subarray(from, at + 1), held));
      if (from !== -1 && !full) lastFull = line;
      line += 1;
      from = line >= start && line <= end && !full ? at + 1 : -1;
    }
    if (from !== -1 && from < chunk.length) ({ held, full } = keep(kept, chunk.subarray(from), held));
    endsOpen = chunk.at(-1) !== newline;
    // The rest of a small file is read for the number of its lines.
    if (read > mostScanned || ((full || line > end) && read > 4 * readingLimits.bytes)) {
      complete = false;
      break;
    }
  }
  const lines = complete ? line - (endsOpen ? 0 : 1) : undefined;
  const bytes = joined(kept, held);
  if (!full) {
    const last = Math.min(end, lines ?? line - 1);
    return { bytes, end: Math.max(last, start - 1), lines, binary, cut: false, passed: !complete && line < start };
  }
  // Whole lines alone, unless the first one is too long.
  const whole = bytes.lastIndexOf(newline) + 1;
  const cut = whole === 0;
  return {
    bytes: cut ? bytes : bytes.subarray(0, whole),
    end: cut ? start : lastFull,
    lines,
    binary,
    cut,
    passed: false,
  };
}

function keep(kept: Uint8Array[], piece: Uint8Array, held: number): { readonly held: number; readonly full: boolean } {
  const room = readingLimits.bytes - held;
  if (room > 0) kept.push(piece.length > room ? piece.subarray(0, room) : piece);
  return { held: Math.min(readingLimits.bytes, held + piece.length), full: piece.length > room };
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
