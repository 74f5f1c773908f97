// One `git cat-file --batch-command` process: requests are written in batches and answered in order.
import { once } from 'node:events';
import { Internal, Unavailable } from '#core/kernel/errors';
import type { GitConfig } from '../process/environment.ts';
import type { GitProcess, GitProcesses } from '../process/git-process.ts';
import { isOutOfMemory, TooCostly } from '../process/too-costly.ts';

export interface ObjectHeader {
  readonly oid: string;
  readonly type: 'commit' | 'tree' | 'blob' | 'tag';
  /** Bytes. */
  readonly size: number;
}

export interface ReadObject extends ObjectHeader {
  /** Undefined if the object has more bytes than were requested. */
  readonly content: Buffer | undefined;
}

export type ReadCommand = 'info' | 'contents';

interface Request {
  readonly command: ReadCommand;
  /** The maximum bytes of content. */
  readonly most: number;
  readonly resolve: (answer: ReadObject | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** The process ended while it answered this request. */
export class CatFileEnded extends Internal {}
/** The process ended while it answered an earlier request. */
export class CatFileBehind extends Unavailable {}
/** The process was killed for a reason other than a request. */
export class CatFileKilled extends Unavailable {}

const header = /^([0-9a-f]{40}) (commit|tree|blob|tag) (\d+)$/;
const longestHeader = 4096;
/** Bytes. Larger objects are not read into memory. A tree of this size has some hundred thousand entries. */
export const largestRead = 16 * 1024 ** 2;

/** There are many readers, and git's default cache is six times as large. */
const readerConfig: GitConfig = { 'core.deltaBaseCacheLimit': '16m' };
/**
 * mallopt(3): larger allocations are returned to the system when they are freed, so that a reader does not remain as
 * large as its largest object.
 */
const readerMemory = { MALLOC_MMAP_THRESHOLD_: String(1024 ** 2) };
const tookTooLong = 'a read took too long';

export interface CatFileOptions {
  /** Milliseconds that one answer may take. */
  readonly stallMs: number;
  /** Bytes that the process may allocate at once. */
  readonly allocationBytes: number;
  /** Called when every request is answered. */
  readonly onIdle: () => void;
}

export class CatFile {
  /** Undefined until it has started. */
  #process: GitProcess | undefined;
  readonly #pending: Request[] = [];
  readonly #options: CatFileOptions;
  #lines: string[] = [];
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The object whose content is being read, and the bytes that it takes with its newline. */
  #awaited: { readonly header: ObjectHeader; readonly need: number } | undefined;
  /** The bytes still to skip of an object larger than requested. */
  #skip = 0;
  #stall: NodeJS.Timeout | undefined;
  #retiring = false;
  /** The error of all further requests, once the process answers no more. */
  #over: { readonly error: unknown } | undefined;
  /** Resolves when the process has ended or could not be started. */
  readonly ended: Promise<void>;
  /** Requests accepted so far. */
  served = 0;

  constructor(processes: GitProcesses, directory: string, options: CatFileOptions) {
    this.#options = options;
    this.ended = this.#run(
      processes.startIn({ directory }, ['cat-file', '--batch-command', '--buffer'], {
        config: readerConfig,
        environment: readerMemory,
        allocationBytes: options.allocationBytes,
        urgent: true,
        kept: true,
      }),
    );
  }

  get pending(): number {
    return this.#pending.length;
  }

  get open(): boolean {
    return this.#over === undefined && !this.#retiring;
  }

  /**
   * Requests an object.
   * @param name an oid, or a peeled one; without a newline.
   * @returns undefined if no object, or more than one, has the name.
   */
  ask(command: ReadCommand, name: string, most = largestRead): Promise<ReadObject | undefined> {
    if (this.#over !== undefined) return Promise.reject(this.#over.error);
    this.served += 1;
    return new Promise((resolve, reject) => {
      if (this.#pending.length === 0) {
        this.#process?.hold(true);
        this.#stall = setTimeout(() => this.#stop(tookTooLong), this.#options.stallMs);
      }
      this.#pending.push({ command, most, resolve, reject });
      if (this.#lines.length === 0) queueMicrotask(() => this.#flush());
      this.#lines.push(`${command} ${name}\n`);
    });
  }

  /**
   * Accepts no more requests, and ends once the pending ones are answered. Until then it keeps the server's process
   * alive, because a caller may await its end.
   */
  retire(): void {
    this.#retiring = true;
    if (this.#pending.length > 0) return;
    this.#process?.hold(true);
    this.#process?.stdin.end();
  }

  async kill(): Promise<void> {
    this.#retiring = true;
    this.#stop('its repository is closed');
    await this.ended;
  }

  /** Never rejects: the pending requests receive the errors. */
  async #run(starting: Promise<GitProcess>): Promise<void> {
    try {
      const process = await starting;
      this.#process = process;
      process.hold(this.#pending.length > 0 || this.#retiring);
      process.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
      if (this.#lines.length > 0) this.#flush();
      if (this.#retiring && this.#pending.length === 0) process.stdin.end();
      const read = process.stdout.closed ? undefined : once(process.stdout, 'close');
      const { code } = await process.ended;
      await read;
      const costly = process.starved || process.stopped === tookTooLong || isOutOfMemory(process.stderr);
      if (code === null && !costly) {
        this.#failAll(
          new CatFileKilled('A git object reader was stopped before it answered', { detail: 'Try again later' }),
        );
        return;
      }
      const cause = costly
        ? new TooCostly(`A git object could not be read: ${process.stopped ?? 'it needs too much memory'}`)
        : new CatFileEnded('A git object reader ended before it answered', { detail: process.stderr });
      // Answers are in the order of the requests, so the process ended while it answered the first pending one.
      this.#pending.shift()?.reject(cause);
      this.#failAll(new CatFileBehind('A git object reader ended over another object', { detail: 'Try again later' }));
    } catch (error) {
      this.#failAll(error);
    }
  }

  #stop(reason: string): void {
    void this.#process?.stop(reason);
  }

  /** Requests made before the process has started are queued in `#lines`. */
  #flush(): void {
    if (this.#process === undefined) return;
    this.#process.stdin.write(`${this.#lines.join('')}flush\n`);
    this.#lines = [];
  }

  #read(arrived: Buffer): void {
    const chunk = this.#pass(arrived);
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#awaited !== undefined && this.#bytes < this.#awaited.need) return;
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    for (;;) {
      if (this.#awaited !== undefined) {
        const { header: found, need } = this.#awaited;
        if (rest.length < need) break;
        this.#awaited = undefined;
        // A copy, so that a small object does not keep the whole read buffer alive in a cache.
        this.#answer({ ...found, content: Buffer.from(rest.subarray(0, need - 1)) });
        rest = rest.subarray(need);
        continue;
      }
      const end = rest.indexOf(0x0a);
      if (end < 0) {
        if (rest.length > longestHeader) this.#stop('its answer is no header');
        break;
      }
      const line = rest.toString('latin1', 0, end);
      rest = rest.subarray(end + 1);
      if (!this.#header(line)) {
        this.#stop('its answer is not the one expected');
        return;
      }
      rest = this.#pass(rest);
    }
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
  }

  /**
   * Handles a header line.
   * @returns false if the line does not fit the pending request.
   */
  #header(line: string): boolean {
    const asked = this.#pending[0];
    if (asked === undefined) return false;
    const match = header.exec(line);
    if (match === null) {
      if (!line.endsWith(' missing') && !line.endsWith(' ambiguous')) return false;
      this.#answer(undefined);
      return true;
    }
    const [, oid = '', type, size] = match;
    const found = { oid, type: type as ObjectHeader['type'], size: Number(size) };
    if (asked.command === 'contents' && found.size <= asked.most) {
      this.#awaited = { header: found, need: found.size + 1 };
    } else {
      if (asked.command === 'contents') this.#skip = found.size + 1;
      this.#answer({ ...found, content: undefined });
    }
    return true;
  }

  #pass(bytes: Buffer): Buffer {
    const passed = Math.min(this.#skip, bytes.length);
    this.#skip -= passed;
    return passed === 0 ? bytes : bytes.subarray(passed);
  }

  #answer(answer: ReadObject | undefined): void {
    this.#pending.shift()?.resolve(answer);
    this.#stall?.refresh();
    if (this.#pending.length > 0) return;
    clearTimeout(this.#stall);
    this.#process?.hold(this.#retiring);
    if (this.#retiring) this.#process?.stdin.end();
    this.#options.onIdle();
  }

  #failAll(error: unknown): void {
    this.#over = { error };
    clearTimeout(this.#stall);
    for (const request of this.#pending.splice(0)) request.reject(error);
    this.#options.onIdle();
  }
}
