// Archives of a commit's tree (zip, tar), streamed from `git archive`.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Internal, Unprocessable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git/git-backend';
import { longest } from '#core/repositories/git/clipping';
import { keepFiles } from '../files/kept-files.ts';
import { byteStream, gathered, prefixed, withNext } from '../process/byte-stream.ts';
import type { Foundation } from '../foundation.ts';
import type { GitProcess } from '../process/git-process.ts';
import { transferTimes, type GitLimits } from '../process/limits.ts';
import { CostlyQuestions, refuseTooCostly } from '../process/too-costly.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { Located } from '../storage/visits.ts';

export function archive(parts: Foundation): Located<'archive'> {
  const costly = new CostlyQuestions();
  return async (location, commit, options, signal) => {
    const question = `${location.cacheKey}:${commit}`;
    return await costly.ask(question, async () => {
      const process = await parts.transfers.start(() => begin(parts, location, commit, options, signal), signal);
      const stream = await begun(process, parts.limits);
      return whole(process, stream, (error) => costly.remember(question, error));
    });
  };
}

async function begin(
  parts: Foundation,
  ...[location, commit, { format, prefix }, signal]: Parameters<Located<'archive'>>
): Promise<GitProcess> {
  const { root, limits, processes } = parts;
  await checkPaths(parts, location, commit, signal);
  const view = await archiveView(root);
  // `archive` ignores --end-of-options, so its revision is always an oid.
  return await processes.start([`--git-dir=${view}`, 'archive', `--format=${format}`, `--prefix=${prefix}`, commit], {
    directory: location.directory,
    environment: { GIT_OBJECT_DIRECTORY: join(location.directory, 'objects') },
    ...transferTimes(limits),
    input: '',
    signal,
  });
}

/**
 * A bare repository (gitrepository-layout(5)) without objects, through which `git archive` reads those of another one.
 * gitattributes(5): `info/attributes` takes precedence over every `.gitattributes`. Otherwise a file marked
 * `export-subst` could make git start a program for each of its placeholders.
 */
const viewFiles: Readonly<Record<string, string>> = {
  HEAD: 'ref: refs/heads/none\n',
  config: '[core]\n\trepositoryformatversion = 0\n\tbare = true\n',
  'info/attributes': '* -export-subst\n',
};

/** The directory of the view. Missing or changed files are written before each archive. */
async function archiveView(root: string): Promise<string> {
  const directory = join(root, '.archives');
  for (const folder of ['objects', 'refs']) await mkdir(join(directory, folder), { recursive: true, mode: 0o700 });
  await keepFiles(directory, viewFiles, 0o600);
  return directory;
}

/** Waits for the first bytes, so that a failure can still be returned as an error. */
async function begun(process: GitProcess, limits: GitLimits): Promise<AsyncIterableIterator<Uint8Array>> {
  const { computeSeconds } = limits;
  const stream = gathered(byteStream(process, limits));
  const late = setTimeout(() => process.expire(`it was not begun after ${computeSeconds} s`), computeSeconds * 1000);
  const first = await stream
    .next()
    .catch((error: unknown) => {
      refuseTooCostly(process, 'archive');
      throw error;
    })
    .finally(() => clearTimeout(late));
  if (first.done !== true) return prefixed([first.value], stream);
  refuseTooCostly(process, 'archive');
  throw process.failure();
}

/**
 * Checks the paths before the archive is started, within a separate time limit: git lists the whole tree before it
 * writes a byte. A path that is too long to be unpacked costs its length for each file below it, and breaks a zip off
 * in the middle.
 * @throws {Unprocessable} if a path is longer than `longest.path`.
 */
async function checkPaths(
  { processes, deadlineMs }: Foundation,
  location: RepositoryLocation,
  commit: Oid,
  signal: AbortSignal | undefined,
): Promise<void> {
  const paths = new PathLengths();
  const args = ['ls-tree', '-r', '-t', '-z', '--name-only', commit];
  const process = await processes.startIn(location, args, { input: '', deadlineMs, signal });
  try {
    for await (const chunk of process.output()) {
      if (paths.tooLong(chunk))
        throw new Unprocessable('There is no archive of this: a path in it is too long', {
          detail: `A path may have ${longest.path} bytes`,
        });
    }
  } finally {
    await process.stop('its paths have been looked at');
  }
  refuseTooCostly(process, 'archive');
}

/** Detects a record that is too long among records that end in NUL, without a look at each: there may be millions. */
class PathLengths {
  /** Bytes so far of the record that has not ended. */
  #open = 0;

  tooLong(chunk: Buffer): boolean {
    let start = -this.#open;
    for (;;) {
      const end = chunk.lastIndexOf(0, start + longest.path);
      if (end < Math.max(start, 0)) break;
      start = end + 1;
    }
    this.#open = chunk.length - start;
    return this.#open > longest.path;
  }
}

/**
 * Throws at the end of the stream if git failed, so that the client does not take a truncated archive for a complete
 * one.
 */
function whole(
  process: GitProcess,
  stream: AsyncIterableIterator<Uint8Array>,
  brokeOff: (error: unknown) => void,
): AsyncIterableIterator<Uint8Array> {
  return withNext(stream, async () => {
    try {
      const read = await stream.next();
      if (read.done === true && (await process.ended).code !== 0)
        throw new Internal('git archive broke off', { detail: process.stderr });
      return read;
    } catch (error) {
      brokeOff(error);
      throw error;
    }
  });
}
