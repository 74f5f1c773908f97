// Starts git processes; nothing else in the adapter starts git. Each process has a deadline and a bound on its output,
// and is killed together with its process group.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { basename } from 'node:path';
import { Internal, Unavailable } from '#core/kernel/errors';
import { errnoOf } from '#adapters/git-common/files/errno';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { environment, type GitConfig } from './environment.ts';
import type { MemoryBudget, ProcessExit } from './launcher/launcher-messages.ts';
import { Launcher, type LaunchedProcess } from './launcher/launcher.ts';
import { refuseTooCostly } from './too-costly.ts';

const killAfterMs = 2000;
/** Lowers the priority of computations, so that short requests are answered while these use all processors. */
const computationNiceness = 10;

export interface SpawnOptions {
  /** The repository's directory, by which `stopIn` finds the process. */
  readonly directory?: string;
  readonly config?: GitConfig;
  readonly environment?: Readonly<Record<string, string>>;
  /** Bytes that it may allocate at once. Default: `allocationBytes` of the limits. */
  readonly allocationBytes?: number;
  /** Pipes beyond standard input, output and error. */
  readonly extraPipes?: number;
  /** Milliseconds after which the group is killed; undefined for processes that wait for requests. */
  readonly deadlineMs?: number;
  /** Milliseconds without `touch` after which the group is killed. */
  readonly idleMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** The content of standard input. Default: the caller writes it to `stdin`. */
  readonly input?: string | Buffer;
  /** The memory budget that its memory counts towards. Default: `computations`. */
  readonly budget?: MemoryBudget;
  /**
   * Whether it is a helper process that can be replaced. When memory is short, idle helper processes are ended first.
   */
  readonly kept?: boolean;
  /** Whether it runs at the priority of the server process. Others run at a lower priority. */
  readonly urgent?: boolean;
}

export interface RunOptions extends SpawnOptions {
  readonly deadlineMs: number;
  /** Bytes of standard output after which the process is killed. Default 64 MiB. */
  readonly maxOutput?: number;
  /** The highest exit code of an answer; with a higher one git failed. Default: any exit code is an answer. */
  readonly maxCode?: number;
}

export interface RunResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export class GitProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly ended: Promise<ProcessExit>;
  readonly directory: string | undefined;
  readonly #command: string;
  readonly #signal: AbortSignal | undefined;
  readonly #launched: LaunchedProcess;
  readonly #timers: NodeJS.Timeout[] = [];
  #idle: NodeJS.Timeout | undefined;
  #stopping = false;
  running = true;
  /** Its standard error, as one line for the log; empty until it has ended. */
  stderr = '';
  /** The reason why it was stopped; undefined if it was not. */
  stopped: string | undefined;
  /** Whether it was stopped because its deadline had passed. */
  expired = false;
  /** Whether it was stopped because the processes of its memory budget used too much memory. */
  starved = false;

  constructor(launched: LaunchedProcess, command: string, options: SpawnOptions) {
    this.#launched = launched;
    this.#command = command;
    this.#signal = options.signal;
    this.directory = options.directory;
    this.stdin = launched.stdin;
    this.stdout = launched.stdout;
    const onAbort = (): void => void this.stop('the client went away');
    if (options.input !== undefined) this.stdin.end(options.input);
    this.ended = launched.ended.then((ending) => {
      this.running = false;
      this.starved = ending.starved === true;
      if (this.starved) this.stopped ??= 'git has too little memory for it';
      this.stderr = ending.stderr
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .join('; ');
      options.signal?.removeEventListener('abort', onAbort);
      for (const timer of this.#timers) clearTimeout(timer);
      clearTimeout(this.#idle);
      return ending;
    });
    const { deadlineMs } = options;
    if (deadlineMs !== undefined) {
      const late = (): void => this.expire(`it was not done after ${Math.round(deadlineMs / 1000)} s`);
      this.#timers.push(setTimeout(late, deadlineMs).unref());
    }
    if (options.idleMs !== undefined)
      this.#idle = setTimeout(() => void this.stop('no byte moved for too long'), options.idleMs).unref();
    if (options.signal?.aborted === true) onAbort();
    else options.signal?.addEventListener('abort', onAbort, { once: true });
  }

  /** Descriptor 3 and up, as the hooks inherit them. */
  pipe(descriptor: number): Socket {
    const pipe = this.#launched.pipes[descriptor - 3];
    if (pipe === undefined) throw new Internal(`A git process has no pipe ${descriptor}`);
    return pipe;
  }

  /** Its standard output until it ends or breaks off; `ended` shows whether it is complete. */
  async *output(): AsyncGenerator<Buffer> {
    try {
      yield* this.stdout as AsyncIterable<Buffer>;
    } catch (error) {
      if (errnoOf(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    }
  }

  /**
   * Its exit code, once it has ended by itself.
   * @param advice for a client whose request was broken off.
   * @throws {TooCostly | Unavailable} if it was stopped; the signal's reason when aborted.
   */
  async exit(advice = 'Try again later'): Promise<number> {
    const { code } = await this.ended;
    this.#signal?.throwIfAborted();
    refuseTooCostly(this, this.#command);
    if (code !== null) return code;
    throw new Unavailable(`git ${this.#command} was stopped: ${this.stopped ?? 'by a signal'}`, { detail: advice });
  }

  /** Like `exit`, and throws `failure` for every exit code but 0. */
  async success(advice?: string): Promise<void> {
    if ((await this.exit(advice)) !== 0) throw this.failure();
  }

  failure(): Internal {
    const repository = basename(this.directory ?? '', '.git');
    return new Internal(`git ${this.#command} failed in repository "${repository}"`, { detail: this.stderr });
  }

  /** Restarts the idle timer, because a byte was transferred. */
  touch(): void {
    this.#idle?.refresh();
  }

  /** Stops the idle timer, for work without output. Afterwards only the deadline applies. */
  allowSilence(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
  }

  /** Whether it keeps the server's own process from exiting. */
  hold(held: boolean): void {
    this.#launched.hold(held);
  }

  /** Stops a process that took too long. */
  expire(reason: string): void {
    this.expired = this.stopped === undefined;
    void this.stop(reason);
  }

  /** Sends SIGTERM to the group, and SIGKILL two seconds later; resolves when the process has ended. */
  async stop(reason: string): Promise<void> {
    if (this.running && !this.#stopping) {
      this.#stopping = true;
      this.stopped ??= reason;
      this.stdin.destroy();
      this.#launched.kill('SIGTERM');
      this.#timers.push(setTimeout(() => this.#launched.kill('SIGKILL'), killAfterMs));
    }
    await this.ended;
  }
}

interface ProcessLimits {
  /** Environment variables of every process. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly memoryBytes?: number;
  readonly transferMemoryBytes?: number;
  readonly allocationBytes?: number;
  readonly caller?: (() => string | undefined) | undefined;
}

/** Every running process of this adapter. */
export class GitProcesses {
  readonly path: string;
  readonly #launcher: Launcher;
  readonly #limits: ProcessLimits;
  readonly #running = new Set<GitProcess>();
  readonly #starting = new Map<Promise<GitProcess>, string | undefined>();
  #closed = false;

  constructor(path: string, limits: ProcessLimits = {}) {
    this.path = path;
    this.#limits = limits;
    this.#launcher = new Launcher({}, limits.environment, {
      ...(limits.memoryBytes !== undefined && { computations: limits.memoryBytes }),
      ...(limits.transferMemoryBytes !== undefined && { transfers: limits.transferMemoryBytes }),
    });
  }

  /** @throws {Unavailable} if git does not start, or if the adapter is closed. */
  async start(args: readonly string[], options: SpawnOptions): Promise<GitProcess> {
    if (this.#closed)
      throw new Unavailable('The git back end is stopping', { detail: 'Try again when the server is back' });
    const starting = this.#start(args, options);
    this.#starting.set(starting, options.directory);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  #allocationBytes({ allocationBytes, budget }: SpawnOptions): number {
    // Lists of objects, which may have millions of entries.
    if (budget === 'upkeep') return 2 * 1024 ** 3;
    return allocationBytes ?? this.#limits.allocationBytes ?? 256 * 1024 ** 2;
  }

  async startIn(
    { directory }: Pick<RepositoryLocation, 'directory'>,
    args: readonly string[],
    options: SpawnOptions,
  ): Promise<GitProcess> {
    return await this.start([`--git-dir=${directory}`, ...args], { ...options, directory });
  }

  async #start(args: readonly string[], options: SpawnOptions): Promise<GitProcess> {
    const started = new GitProcess(
      await this.#launcher.launch(
        this.path,
        args,
        environment(options.config, {
          // Limits each single allocation: a delta of some hundred bytes may claim to expand to gigabytes.
          GIT_ALLOC_LIMIT: String(this.#allocationBytes(options)),
          ...options.environment,
        }),
        {
          pipes: options.extraPipes,
          owner: this.#limits.caller?.(),
          ...(options.budget !== undefined && { budget: options.budget }),
          kept: options.kept ?? false,
          niceness: options.urgent === true ? 0 : computationNiceness,
        },
      ),
      commandOf(args),
      options,
    );
    this.#running.add(started);
    void started.ended.then(() => this.#running.delete(started));
    return started;
  }

  /**
   * Runs a command to its end.
   * @throws {Unavailable} past its deadline or if git does not start; {Internal} past `maxOutput` or `maxCode`; the
   * signal's reason when aborted.
   */
  async run(args: readonly string[], { maxOutput = 64 * 1024 ** 2, ...options }: RunOptions): Promise<RunResult> {
    const started = await this.start(args, { input: '', ...options });
    const chunks: Buffer[] = [];
    let bytes = 0;
    started.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxOutput) chunks.push(chunk);
      else void started.stop(`its answer is over ${maxOutput} bytes`);
    });
    const drained = started.stdout.closed ? undefined : once(started.stdout, 'close');
    await started.ended;
    await drained;
    if (bytes > maxOutput && options.signal?.aborted !== true)
      throw new Internal(`git ${commandOf(args)} was stopped: ${started.stopped ?? ''}`);
    const code = await started.exit();
    if (options.maxCode !== undefined && code > options.maxCode) throw started.failure();
    return { code, stdout: Buffer.concat(chunks), stderr: started.stderr };
  }

  async runIn(
    { directory }: Pick<RepositoryLocation, 'directory'>,
    args: readonly string[],
    options: RunOptions,
  ): Promise<RunResult> {
    return await this.run([`--git-dir=${directory}`, ...args], { ...options, directory });
  }

  /** Stops every process of one repository. */
  async stopIn(directory: string, reason: string): Promise<void> {
    await this.#stop((location) => location === directory, reason);
  }

  /** Stops every process and starts no more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#stop(() => true, 'the server is stopping');
    await this.#launcher.close();
  }

  async #stop(concerned: (directory: string | undefined) => boolean, reason: string): Promise<void> {
    await Promise.allSettled(
      [...this.#starting].filter(([, directory]) => concerned(directory)).map(([starting]) => starting),
    );
    await Promise.all(
      [...this.#running].filter(({ directory }) => concerned(directory)).map((started) => started.stop(reason)),
    );
  }
}

function commandOf(args: readonly string[]): string {
  return args.find((argument) => !argument.startsWith('-')) ?? '';
}
