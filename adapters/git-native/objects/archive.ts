// Archives of a commit's tree (zip, tar) to download, streamed from `git archive`.
import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { Internal, Unprocessable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git-backend';
import type { ArchiveFormat } from '#core/repositories/git-history';
import { byteStream, prefixed } from '../process/byte-stream.ts';
import type { GitProcess, GitProcesses } from '../process/git-process.ts';
import type { Limiter } from '../process/limiter.ts';
import type { GitLimits } from '../process/limits.ts';
import { RecordReader } from '../process/records.ts';
import { CostlyQuestions, refuseTooCostly } from '../process/too-costly.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { ArchiveView } from './archive-view.ts';

/** APPNOTE.TXT 4.4.10: a zip tells the length of a name in 16 bits. */
const longestZipName = 65_535;

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
    return await this.#costly.ask(`${location.id}:${commit}`, () => this.#begin(location, commit, options, signal));
  }

  async #begin(
    location: RepositoryLocation,
    commit: Oid,
    options: { readonly format: ArchiveFormat; readonly prefix: string },
    signal: AbortSignal | undefined,
  ): Promise<AsyncIterable<Uint8Array>> {
    const release = await this.#transfers.acquire(signal);
    let process: GitProcess;
    try {
      if (options.format === 'zip') await this.#checkNames(location, commit, options.prefix, signal);
      await this.#view.ready();
      // `archive` ignores --end-of-options: it is given an oid alone.
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
    const stream = byteStream(process, { onEnd: release, leastRate: this.#limits.leastRate });
    // The first piece decides whether there is an answer at all, while a refusal can still be one.
    const { computeSeconds } = this.#limits;
    // git lists the whole tree before it writes a byte.
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
    return prefixed([first.value], whole(process, stream));
  }

  /**
   * git meets a name that is too long when it has written what comes before it.
   * @throws {Unprocessable}
   */
  async #checkNames(
    { directory }: RepositoryLocation,
    commit: Oid,
    prefix: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    // A folder's name ends in a slash there.
    const names = new RecordReader(longestZipName - Buffer.byteLength(prefix) - 1);
    const process = await this.#processes.start(
      [`--git-dir=${directory}`, 'ls-tree', '-r', '-t', '-z', '--name-only', commit],
      { directory, deadlineMs: this.#limits.computeSeconds * 1000, ...(signal === undefined ? {} : { signal }) },
    );
    process.stdin.end();
    try {
      for await (const chunk of process.output()) {
        names.push(chunk);
        while (names.next(0) !== undefined)
          if (names.cut)
            throw new Unprocessable('The archive cannot be a zip: a path in it is longer than zip allows', {
              detail: `A name in a zip has at most ${longestZipName} bytes; ask for .tar.gz`,
            });
      }
    } finally {
      await process.stop('its names have been looked at');
    }
    refuseTooCostly(process, 'archive');
  }
}

/** An archive that git broke off is no archive: the client must not take it for one. */
function whole(process: GitProcess, stream: AsyncIterableIterator<Uint8Array>): AsyncIterableIterator<Uint8Array> {
  const checked: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => checked,
    next: async () => {
      const read = await stream.next();
      if (read.done === true && (await process.ended).code !== 0)
        throw new Internal('git archive broke off', { detail: process.stderr });
      return read;
    },
    return: async () => (await stream.return?.()) ?? { done: true, value: undefined },
  };
  return checked;
}
