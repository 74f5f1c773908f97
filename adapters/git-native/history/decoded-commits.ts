// Commits whose `encoding` header names another encoding than UTF-8. git itself decodes them, so that every encoding
// that it knows is read, and by the same rules: a text that is not valid in its encoding stays unchanged.
import { setImmediate as turn } from 'node:timers/promises';
import type { Oid } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import type { GitProcesses } from '../process/git-process.ts';
import { RecordReader } from '../process/records.ts';
import { TimeSlice } from '#adapters/git-common/waiting/time-slice';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { WithParts } from '../with-parts.ts';

/** Fields in UTF-8, as far as git could decode them. Names and addresses are empty in a line that git cannot parse. */
export interface DecodedCommit {
  readonly author: DecodedSignature;
  readonly committer: DecodedSignature;
  readonly message: Buffer;
}

/** `seconds` are digits; empty without a valid date. */
interface DecodedSignature {
  readonly name: Buffer;
  readonly email: Buffer;
  readonly seconds: string;
}

/** Whether git decodes the texts of a commit with this header. */
export const isDecodedByGit = (encoding: string | undefined): boolean =>
  encoding !== undefined && !/^utf-?8$/i.test(encoding);

/** git-rev-list(1), "PRETTY FORMATS". None of these applies `.mailmap`. */
const fields = ['%H', '%an', '%ae', '%at', '%cn', '%ce', '%ct', '%B'];
const format = fields.map((field) => `${field}%x00`).join('');
/** Commits decoded by one process: their messages are held in memory. */
const mostAtOnce = 100;

interface Reading {
  /** Bytes of a field after which it is cut. Default: none is cut. */
  readonly longest?: number;
  /** Bytes of output after which git is stopped; the last field is cut there. For a single commit. */
  readonly most?: number;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

/** Commits that do not exist are left out. */
export async function* decodedCommits(
  processes: GitProcesses,
  location: RepositoryLocation,
  oids: readonly Oid[],
  { longest = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY, deadlineMs, signal }: Reading,
): AsyncGenerator<readonly [oid: Oid, commit: DecodedCommit]> {
  const args = [
    'rev-list',
    '--stdin',
    '--no-walk=unsorted',
    '--ignore-missing',
    '--encoding=UTF-8',
    '--no-commit-header',
    `--format=${format}`,
  ];
  const input = `${oids.join('\n')}\n`;
  const process = await processes.startIn(location, args, { input, deadlineMs, signal });
  const records = new RecordReader(longest);
  const slice = new TimeSlice();
  let read: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.output()) {
    records.push(chunk);
    for (let field = records.next(0); field !== undefined; field = records.next(0)) {
      read.push(Buffer.from(field));
      if (read.length < fields.length) continue;
      yield commitOf(read);
      read = [];
    }
    bytes += chunk.length;
    if (bytes >= most && read.length === fields.length - 1) {
      await process.stop('enough of its message is read');
      yield commitOf([...read, records.rest()]);
      return;
    }
    if (slice.over) await slice.rest();
  }
  await process.success();
}

function commitOf(read: readonly Buffer[]): readonly [Oid, DecodedCommit] {
  const none = Buffer.alloc(0);
  const [oid, name = none, email = none, seconds, committer = none, address = none, committed, message = none] = read;
  const text = (field: Buffer | undefined): string => field?.toString('latin1').trim() ?? '';
  return [
    // A newline ends the commit before.
    text(oid),
    {
      author: { name, email, seconds: text(seconds) },
      committer: { name: committer, email: address, seconds: text(committed) },
      message,
    },
  ];
}

interface Waiting {
  readonly oid: Oid;
  readonly resolve: (commit: DecodedCommit | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Decodes commits in batches: one process per repository at a time, for all that were requested until it starts. */
export class CommitDecoder extends WithParts<Foundation & { readonly longest: number }> {
  readonly #waiting = new Map<string, Waiting[]>();

  /** Undefined if there is no such commit. Its message is cut at `longest` bytes. */
  of(location: RepositoryLocation, oid: Oid): Promise<DecodedCommit | undefined> {
    return new Promise((resolve, reject) => {
      const one: Waiting = { oid, resolve, reject };
      const others = this.#waiting.get(location.directory);
      if (others !== undefined) {
        others.push(one);
        return;
      }
      const waiting = [one];
      this.#waiting.set(location.directory, waiting);
      void this.#decode(location, waiting);
    });
  }

  async #decode(location: RepositoryLocation, waiting: Waiting[]): Promise<void> {
    await turn();
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostAtOnce);
      try {
        const found = await this.parts.interactive.run(() => this.#read(location, batch));
        for (const { oid, resolve } of batch) resolve(found.get(oid));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#waiting.delete(location.directory);
  }

  async #read(location: RepositoryLocation, batch: readonly Waiting[]): Promise<ReadonlyMap<Oid, DecodedCommit>> {
    const { processes, deadlineMs, longest } = this.parts;
    const oids = [...new Set(batch.map(({ oid }) => oid))];
    const found = new Map<Oid, DecodedCommit>();
    for await (const [oid, commit] of decodedCommits(processes, location, oids, { longest, deadlineMs }))
      found.set(oid, commit);
    return found;
  }
}
