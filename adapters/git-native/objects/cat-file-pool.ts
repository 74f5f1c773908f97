// A pool of `git cat-file` processes: at most two per repository and a bounded number in total. The least recently used
// idle process is evicted.
import type { GitProcesses } from '../process/git-process.ts';
import { CostlyQuestions } from '../process/too-costly.ts';
import {
  CatFile,
  CatFileBehind,
  CatFileEnded,
  CatFileKilled,
  type CatFileOptions,
  type ObjectHeader,
  type ReadCommand,
  type ReadObject,
} from './cat-file.ts';

const perRepository = 2;
/** A second process is started only when the first one has this many pending requests. */
const busyFrom = 64;
const servedAtMost = 10_000;

/**
 * How often a request is sent in total, given the error of the last attempt. Objects are immutable, so requests can be
 * repeated. A process that ends over an earlier request removes that request, so later ones move up.
 */
function triesAt(error: unknown): number {
  if (error instanceof CatFileBehind) return 16;
  return error instanceof CatFileEnded || error instanceof CatFileKilled ? 2 : 1;
}

interface CatFilePoolOptions extends Omit<CatFileOptions, 'onIdle'> {
  /** Processes in total. */
  readonly limit: number;
  /** Milliseconds after which an idle process is ended. */
  readonly idleMs: number;
}

export class CatFilePool {
  readonly #processes: GitProcesses;
  readonly #options: CatFilePoolOptions;
  readonly #costly = new CostlyQuestions();
  /** By directory, the most recently used repository last. */
  readonly #readers = new Map<string, CatFile[]>();
  readonly #idleTimers = new Map<CatFile, NodeJS.Timeout>();
  #waiting: (() => void)[] = [];
  #count = 0;

  constructor(processes: GitProcesses, options: CatFilePoolOptions) {
    this.#processes = processes;
    this.#options = options;
  }

  info(directory: string, name: string): Promise<ObjectHeader | undefined> {
    return this.#ask('info', directory, name);
  }

  /** @param most bytes; the content of a larger object is left out. Default: `largestRead`. */
  contents(directory: string, name: string, most?: number): Promise<ReadObject | undefined> {
    return this.#ask('contents', directory, name, most);
  }

  /**
   * Retires the processes of a repository, and resolves when their pending requests are answered. Later requests go to
   * new processes, which do not keep removed packs open.
   */
  async renew(directory: string): Promise<void> {
    const own = [...(this.#readers.get(directory) ?? [])];
    for (const reader of own) this.#retire(directory, reader);
    await Promise.all(own.map((reader) => reader.ended));
  }

  /** Kills the processes of one repository. */
  async forget(directory: string): Promise<void> {
    await Promise.all((this.#readers.get(directory) ?? []).map((reader) => reader.kill()));
  }

  async #ask(command: ReadCommand, directory: string, name: string, most?: number): Promise<ReadObject | undefined> {
    return await this.#costly.ask(`${directory} ${command} ${name}`, async () => {
      for (let tried = 1; ; tried += 1) {
        try {
          return await this.#put(command, directory, name, most);
        } catch (error) {
          if (tried >= triesAt(error)) throw error;
        }
      }
    });
  }

  async #put(command: ReadCommand, directory: string, name: string, most?: number): Promise<ReadObject | undefined> {
    const reader = this.#pick(directory) ?? (await this.#open(directory));
    clearTimeout(this.#idleTimers.get(reader));
    const answer = reader.ask(command, name, most);
    if (reader.served >= servedAtMost) this.#retire(directory, reader);
    return await answer;
  }

  /** The least busy process of the repository; undefined if a new one should be started. */
  #pick(directory: string): CatFile | undefined {
    const own = this.#readers.get(directory);
    if (own === undefined) return undefined;
    this.#readers.delete(directory);
    this.#readers.set(directory, own);
    const best = own.filter((reader) => reader.open).toSorted((a, b) => a.pending - b.pending)[0];
    return best !== undefined &&
      best.pending >= busyFrom &&
      own.length < perRepository &&
      this.#count < this.#options.limit
      ? undefined
      : best;
  }

  async #open(directory: string): Promise<CatFile> {
    for (;;) {
      if (this.#count < this.#options.limit || this.#makeRoom()) break;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      const meanwhile = this.#pick(directory);
      if (meanwhile !== undefined) return meanwhile;
    }
    this.#count += 1;
    const reader: CatFile = new CatFile(this.#processes, directory, {
      ...this.#options,
      onIdle: () => this.#idle(directory, reader),
    });
    const own = this.#readers.get(directory) ?? [];
    own.push(reader);
    this.#readers.delete(directory);
    this.#readers.set(directory, own);
    void reader.ended.then(() => this.#drop(directory, reader));
    return reader;
  }

  /**
   * Retires the least recently used idle process.
   * @returns whether there was one.
   */
  #makeRoom(): boolean {
    for (const [directory, own] of this.#readers) {
      const idle = own.find((reader) => reader.pending === 0);
      if (idle === undefined) continue;
      this.#retire(directory, idle);
      return true;
    }
    return false;
  }

  #idle(directory: string, reader: CatFile): void {
    for (const resume of this.#waiting.splice(0)) resume();
    if (!reader.open) return;
    clearTimeout(this.#idleTimers.get(reader));
    this.#idleTimers.set(reader, setTimeout(() => this.#retire(directory, reader), this.#options.idleMs).unref());
  }

  #retire(directory: string, reader: CatFile): void {
    reader.retire();
    this.#drop(directory, reader);
  }

  #drop(directory: string, reader: CatFile): void {
    clearTimeout(this.#idleTimers.get(reader));
    this.#idleTimers.delete(reader);
    const own = this.#readers.get(directory);
    const index = own?.indexOf(reader) ?? -1;
    if (own === undefined || index < 0) return;
    own.splice(index, 1);
    if (own.length === 0) this.#readers.delete(directory);
    this.#count -= 1;
    for (const resume of this.#waiting.splice(0)) resume();
  }
}
