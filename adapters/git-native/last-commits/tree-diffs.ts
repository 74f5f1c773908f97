// The names that differ between two trees: one `git diff-tree --stdin` process, with pipelined requests answered in
// order.
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { Internal } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git-backend';
import type { GitProcess, GitProcesses } from '../process/git-process.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';

/** Raw names: bytes as latin1. */
export type ChangedNames = ReadonlySet<string>;

interface Pending {
  readonly resolve: (names: ChangedNames) => void;
  readonly reject: (error: unknown) => void;
}

/** Before the names of a pair stand its two oids, a space between them and a newline behind. */
const headerBytes = 82;
/** Bytes of one answer: of every name in a tree that may be read. */
const largestAnswer = 16 * 1024 ** 2;

export class TreeDiffs {
  readonly #start: () => Promise<GitProcess>;
  readonly #pending: Pending[] = [];
  /**
   * git says again what is no pair, and then everything so far; nobody can know this line and make it part of a name.
   */
  readonly #end = `/${randomUUID()}\n`;
  #process: Promise<GitProcess> | undefined;
  #lines: string[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #closed = false;

  constructor({
    processes,
    location,
    deadlineMs,
  }: {
    readonly processes: GitProcesses;
    readonly location: RepositoryLocation;
    readonly deadlineMs: number;
  }) {
    this.#start = () =>
      processes.start(
        [`--git-dir=${location.directory}`, 'diff-tree', '--stdin', '--name-only', '--no-renames', '-z'],
        {
          directory: location.directory,
          deadlineMs,
        },
      );
  }

  between(one: Oid, other: Oid): Promise<ChangedNames> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject });
      if (this.#lines.length === 0) queueMicrotask(() => void this.#write());
      this.#lines.push(`${one} ${other}\n${this.#end}`);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const process = await this.#process?.catch(() => undefined);
    await process?.stop('nothing more is asked');
  }

  async #write(): Promise<void> {
    try {
      if (this.#closed) throw new Internal('Trees are not compared any more');
      const process = await (this.#process ??= this.#open());
      process.stdin.write(this.#lines.splice(0).join(''));
    } catch (error) {
      this.#fail(error);
    }
  }

  async #open(): Promise<GitProcess> {
    const process = await this.#start();
    const end = Buffer.from(this.#end);
    process.stdout.on('data', (chunk: Buffer) => {
      this.#read(chunk, end);
      if (this.#rest.length > largestAnswer) void process.stop(`an answer is over ${largestAnswer} bytes`);
    });
    void process.ended.then(() =>
      this.#fail(new Internal('git diff-tree ended before it answered', { detail: process.stopped ?? process.stderr })),
    );
    return process;
  }

  #read(chunk: Buffer, end: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let from = 0;
    for (let to = bytes.indexOf(end); to >= 0; to = bytes.indexOf(end, from)) {
      this.#pending.shift()?.resolve(
        new Set(
          bytes
            .toString('latin1', from + headerBytes, to)
            .split('\0')
            .slice(0, -1),
        ),
      );
      from = to + end.length;
    }
    this.#rest = bytes.subarray(from);
  }

  #fail(error: unknown): void {
    for (const { reject } of this.#pending.splice(0)) reject(error);
  }
}
