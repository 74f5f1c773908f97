// Archives of a commit's tree (zip, tar), streamed from `git archive`.
import type { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { Internal, Unprocessable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git/git-backend';
import { longest } from '#core/repositories/git/clipping';
import type { ArchiveFormat } from '#core/repositories/git/git-history';
import { byteStream, gathered, prefixed, withNext } from '../process/byte-stream.ts';
import type { GitProcess, GitProcesses } from '../process/git-process.ts';
import type { Limiter } from '../process/limiter.ts';
import type { GitLimits } from '../process/limits.ts';
import { CostlyQuestions, refuseTooCostly } from '../process/too-costly.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { ArchiveView } from './archive-view.ts';

export class Archives {
  readonly #processes: GitProcesses;
  readonly #transfers: Limiter;
  readonly #limits: GitLimits;
  readonly #view: ArchiveView;
  readonly #costly = new CostlyQuestions();

  constructor(parts: {
    readonly processes: GitProcesses;
    readonly transfers: Limiter;
    readonly limits: GitLimits;
    readonly view: ArchiveView;
  }) {
    this.#processes = parts.processes;
    this.#transfers = parts.transfers;
    this.#limits = parts.limits;
    this.#view = parts.view;
  }

  async of(
    location: RepositoryLocation,
    commit: Oid,
    options: { readonly format: ArchiveFormat; readonly prefix: string },
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const question = `${location.id}:${commit}`;
    return await this.#costly.ask(question, async () => {
      const { process, stream } = await this.#begin(location, commit, options, signal);
      return whole(process, stream, (error) => this.#costly.remember(question, error));
    });
  }

  async #begin(
    location: RepositoryLocation,
    commit: Oid,
    options: { readonly format: ArchiveFormat; readonly prefix: string },
    signal: AbortSignal | undefined,
  ): Promise<{ readonly process: GitProcess; readonly stream: AsyncIterableIterator<Uint8Array> }> {
    const release = await this.#transfers.acquire(signal);
    let process: GitProcess;
    try {
      await this.#checkPaths(location, commit, signal);
      await this.#view.ready();
      // `archive` ignores --end-of-options, so its revision is always an oid.
      process = await this.#processes.start(
        [
          `--git-dir=${this.#view.directory}`,
          'archive',
          `--format=${options.format}`,
          `--prefix=${options.prefix}`,
          commit,
        ],
        {
          directory: location.directory,
          environment: { GIT_OBJECT_DIRECTORY: join(location.directory, 'objects') },
          deadlineMs: this.#limits.transferSeconds * 1000,
          idleMs: this.#limits.idleSeconds * 1000,
          ...(signal === undefined ? {} : { signal }),
        },
      );
    } catch (error) {
      release();
      throw error;
    }
    process.stdin.end();
    const stream = gathered(byteStream(process, { onEnd: release, leastRate: this.#limits.leastRate }));
    // Waits for the first bytes, so that a failure can still be returned as an error.
    const { computeSeconds } = this.#limits;
    const late = setTimeout(() => process.expire(`it was not begun after ${computeSeconds} s`), computeSeconds * 1000);
    const first = await stream
      .next()
      .catch((error: unknown) => {
        refuseTooCostly(process, 'archive');
        throw error;
      })
      .finally(() => clearTimeout(late));
    if (first.done === true) refuseTooCostly(process, 'archive');
    if (first.done === true)
      throw new Internal(`git archive failed in repository "${location.id}"`, { detail: process.stderr });
    return { process, stream: prefixed([first.value], stream) };
  }

  /**
   * Checks the paths before the archive is started, within a separate time limit: git lists the whole tree before it
   * writes a byte. A path that is too long to be unpacked costs its length for each file below it, and breaks a zip off
   * in the middle.
   * @throws {Unprocessable} if a path is longer than `longest.path`.
   */
  async #checkPaths({ directory }: RepositoryLocation, commit: Oid, signal: AbortSignal | undefined): Promise<void> {
    const paths = new PathLengths();
    const process = await this.#processes.start(
      [`--git-dir=${directory}`, 'ls-tree', '-r', '-t', '-z', '--name-only', commit],
      { directory, deadlineMs: this.#limits.computeSeconds * 1000, ...(signal === undefined ? {} : { signal }) },
    );
    process.stdin.end();
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
