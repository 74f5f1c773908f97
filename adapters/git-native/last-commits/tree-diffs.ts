// Lists the names that differ between two trees, by one `git diff-tree --stdin` process. Requests are pipelined and
// answered in order.
import { randomUUID } from 'node:crypto';
import { Internal, Unavailable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git/git-backend';
import type { GitConfig } from '../process/environment.ts';
import type { GitProcess, GitProcesses } from '../process/git-process.ts';
import { RecordReader } from '../process/records.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { WithParts } from '../with-parts.ts';

/** Raw names (bytes as latin1) that differ, limited to those of the request. */
export type ChangedNames = ReadonlySet<string>;

interface Pending {
  readonly wanted: ReadonlySet<string>;
  readonly resolve: (names: ChangedNames) => void;
  readonly reject: (error: unknown) => void;
}

/** Bytes. Longer names are in no listing. */
const longestName = 64 * 1024;
const [newline, nul, slash] = [0x0a, 0, 0x2f];

/** Trees are small and read once each, so git's default cache of 96 MiB is not needed. */
const walkConfig: GitConfig = { 'core.deltaBaseCacheLimit': '16m' };

interface TreeDiffsParts {
  readonly processes: GitProcesses;
  readonly location: RepositoryLocation;
  readonly deadlineMs: number;
}

export class TreeDiffs extends WithParts<TreeDiffsParts> {
  readonly #pending: Pending[] = [];
  /**
   * Ends each request. git repeats an input line that is not a pair of oids and then flushes its output. No name begins
   * with a slash.
   */
  readonly #end = `/${randomUUID()}`;
  #process: Promise<GitProcess> | undefined;
  #lines: string[] = [];
  readonly #records = new RecordReader(longestName);
  /** The names of the pair whose output is being read; undefined before its first line. */
  #changed: Set<string> | undefined;
  /** The error of all further requests, once the process has ended or is closed. */
  #over: { readonly error: unknown } | undefined;

  /** Returns those of the wanted names that differ. */
  between(one: Oid, other: Oid, wanted: ReadonlySet<string>): Promise<ChangedNames> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ wanted, resolve, reject });
      if (this.#lines.length === 0) queueMicrotask(() => void this.#write());
      this.#lines.push(`${one} ${other}\n${this.#end}\n`);
    });
  }

  async close(): Promise<void> {
    this.#over = { error: new Internal('Trees are not compared any more') };
    const process = await this.#process?.catch(() => undefined);
    await process?.stop('nothing more is asked');
  }

  async #write(): Promise<void> {
    try {
      if (this.#over !== undefined) throw this.#over.error;
      const process = await (this.#process ??= this.#open());
      process.stdin.write(this.#lines.splice(0).join(''));
    } catch (error) {
      this.#fail(error);
    }
  }

  async #open(): Promise<GitProcess> {
    const { processes, location, deadlineMs } = this.parts;
    const args = ['diff-tree', '--stdin', '--name-only', '--no-renames', '-z'];
    const process = await processes.startIn(location, args, { config: walkConfig, deadlineMs });
    process.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    void process.ended.then(({ code }) =>
      this.#fail(
        code === null
          ? new Unavailable(`git diff-tree was stopped: ${process.stopped ?? 'by a signal'}`, {
              detail: 'Try again later',
            })
          : new Internal('git diff-tree ended before it answered', { detail: process.stderr }),
      ),
    );
    return process;
  }

  /** The output for each pair: a line with its oids, its names, each followed by NUL, and the line `#end`. */
  #read(chunk: Buffer): void {
    this.#records.push(chunk);
    for (;;) {
      const isName = this.#changed !== undefined && this.#records.first !== slash;
      const record = this.#records.next(isName ? nul : newline);
      if (record === undefined) return;
      if (this.#changed === undefined) {
        this.#changed = new Set();
      } else if (isName) {
        const name = record.toString('latin1');
        if (this.#pending[0]?.wanted.has(name) === true) this.#changed.add(name);
      } else {
        this.#pending.shift()?.resolve(this.#changed);
        this.#changed = undefined;
      }
    }
  }

  #fail(error: unknown): void {
    this.#over ??= { error };
    for (const { reject } of this.#pending.splice(0)) reject(error);
  }
}
