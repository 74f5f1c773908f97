// Sums of the file sizes of a commit by group, such as by language, streamed from one `git ls-tree`.
import { Buffer } from 'node:buffer';
import { Internal, Unavailable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git-backend';
import type { GitProcesses } from '../process/git-process.ts';
import type { Limiter } from '../process/limiter.ts';
import { CostlyQuestions, refuseTooCostly } from '../process/too-costly.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';

const mostFiles = 250_000;

export class FileSizes {
  readonly #processes: GitProcesses;
  readonly #heavy: Limiter;
  readonly #deadlineMs: number;
  readonly #costly = new CostlyQuestions();

  constructor(parts: { readonly processes: GitProcesses; readonly heavy: Limiter; readonly deadlineMs: number }) {
    this.#processes = parts.processes;
    this.#heavy = parts.heavy;
    this.#deadlineMs = parts.deadlineMs;
  }

  async sumBy(
    location: RepositoryLocation,
    commit: Oid,
    group: (path: string) => string,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, number>> {
    return await this.#costly.ask(`${location.id}:${commit}`, () =>
      this.#heavy.run(() => this.#sum(location, commit, group, signal), signal),
    );
  }

  async #sum(
    location: RepositoryLocation,
    commit: Oid,
    group: (path: string) => string,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, number>> {
    const process = await this.#processes.start(
      [`--git-dir=${location.directory}`, 'ls-tree', '-r', '-l', '-z', '--full-tree', commit],
      { directory: location.directory, deadlineMs: this.#deadlineMs, ...(signal === undefined ? {} : { signal }) },
    );
    process.stdin.end();
    const sums = new Map<string, number>();
    let files = 0;
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of process.output()) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let from = 0;
      for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, from)) {
        const [, size, path] =
          /^100\d{3} blob [0-9a-f]{40} +(\d+)\t(.*)$/s.exec(bytes.toString('utf8', from, end)) ?? [];
        from = end + 1;
        files += 1;
        const kind = path === undefined ? '' : group(path);
        if (kind !== '') sums.set(kind, (sums.get(kind) ?? 0) + Number(size));
      }
      rest = bytes.subarray(from);
      if (files < mostFiles) continue;
      await process.stop('enough of its files are known');
      return sums;
    }
    const { code } = await process.ended;
    signal?.throwIfAborted();
    refuseTooCostly(process, 'ls-tree');
    if (code === null)
      throw new Unavailable(`git ls-tree was stopped: ${process.stopped ?? 'by a signal'}`, {
        detail: 'Try again later',
      });
    if (code !== 0) throw new Internal(`git ls-tree failed in repository "${location.id}"`, { detail: process.stderr });
    return sums;
  }
}
