// The one door to the git program: every process has a group of its own, a deadline and a bound on what it says, and is ended as a group.
import { Buffer } from 'node:buffer';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { Internal, Unavailable } from '#core/kernel/errors';
import { environment, type GitConfig } from './environment.ts';

const killAfterMs = 2000;
const keptStderr = 64 * 1024;

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface SpawnOptions {
  /** The repository's directory, so that `stopIn` finds the process. */
  readonly directory?: string;
  readonly config?: GitConfig;
  readonly environment?: Readonly<Record<string, string>>;
  /** Pipes beyond standard input, output and error. */
  readonly extraPipes?: number;
  /** Milliseconds after which the group is killed; none for processes that wait for requests. */
  readonly deadlineMs?: number;
  /** Milliseconds without `touch` after which the group is killed. */
  readonly idleMs?: number;
  readonly signal?: AbortSignal;
}

export interface RunOptions extends SpawnOptions {
  readonly deadlineMs: number;
  /** Bytes of standard output after which the process is killed. Default 64 MiB. */
  readonly maxOutput?: number;
  /** What it reads from standard input. Default: nothing. */
  readonly input?: string | Buffer;
}

export class GitProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly ended: Promise<Ending>;
  readonly directory: string | undefined;
  readonly #child: ChildProcess;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #stderr: Buffer[] = [];
  #stderrBytes = 0;
  #idle: NodeJS.Timeout | undefined;
  #stopping = false;
  #running = true;
  /** Why it was stopped, where it was. */
  stopped: string | undefined;

  constructor(path: string, args: readonly string[], options: SpawnOptions) {
    const pipes = Array.from({ length: 3 + (options.extraPipes ?? 0) }, () => 'pipe' as const);
    const child = spawn(path, [...args], { cwd: '/', env: environment(options.config, options.environment), stdio: pipes, detached: true, windowsHide: true });
    this.#child = child;
    this.directory = options.directory;
    const { stdin, stdout, stderr } = child;
    if (stdin === null || stdout === null || stderr === null) throw new Internal('A git process has no pipes');
    this.stdin = stdin;
    this.stdout = stdout;
    // A process that ends early breaks its pipes; how it ended says why.
    for (const stream of child.stdio) stream?.on('error', () => undefined);
    stderr.on('data', (chunk: Buffer) => {
      if (this.#stderrBytes < keptStderr) this.#stderr.push(chunk);
      this.#stderrBytes += chunk.length;
    });
    const onAbort = (): void => void this.stop('the client went away');
    this.ended = new Promise((resolve) => {
      const end = (ending: Ending): void => {
        this.#running = false;
        options.signal?.removeEventListener('abort', onAbort);
        for (const timer of this.#timers) clearTimeout(timer);
        clearTimeout(this.#idle);
        // What the leader left behind in its group, such as pack-objects.
        if (ending.code !== 0) this.#signal('SIGKILL');
        resolve(ending);
      };
      child.once('exit', (code, signal) => end({ code, signal }));
      child.once('error', (error) => {
        if (child.pid !== undefined) return;
        this.stopped = `git could not be started (${(error as NodeJS.ErrnoException).code ?? error.message})`;
        for (const stream of child.stdio) stream?.destroy();
        end({ code: null, signal: null });
      });
    });
    if (options.deadlineMs !== undefined) {
      this.#timers.push(setTimeout(() => void this.stop(`it was not done after ${Math.round(Number(options.deadlineMs) / 1000)} s`), options.deadlineMs).unref());
    }
    if (options.idleMs !== undefined) this.#idle = setTimeout(() => void this.stop('no byte moved for too long'), options.idleMs).unref();
    if (options.signal?.aborted === true) onAbort();
    else options.signal?.addEventListener('abort', onAbort, { once: true });
  }

  get running(): boolean {
    return this.#running;
  }

  /** Descriptor 3 and up, as the hooks inherit them. */
  pipe(descriptor: number): Socket {
    const pipe = this.#child.stdio[descriptor];
    if (!(pipe instanceof Socket)) throw new Internal(`A git process has no pipe ${descriptor}`);
    return pipe;
  }

  /** What it wrote to standard error so far, as one line for the log. */
  get complaint(): string {
    return Buffer.concat(this.#stderr).toString('utf8').trim().replaceAll(/\s*\n\s*/g, '; ');
  }

  /** Says that a byte moved. */
  touch(): void {
    this.#idle?.refresh();
  }

  /** Whether it keeps the server's own process from ending. */
  hold(held: boolean): void {
    for (const handle of [this.#child, ...this.#child.stdio]) {
      if (handle instanceof Socket || handle === this.#child) handle[held ? 'ref' : 'unref']();
    }
  }

  /** SIGTERM to the group, SIGKILL two seconds later; resolves when it has ended. */
  async stop(reason: string): Promise<void> {
    if (this.#running && !this.#stopping) {
      this.#stopping = true;
      this.stopped ??= reason;
      this.stdin.destroy();
      this.#signal('SIGTERM');
      this.#timers.push(setTimeout(() => this.#signal('SIGKILL'), killAfterMs));
    }
    await this.ended;
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      // The group is gone already.
    }
  }
}

/** Every process this adapter has running. */
export class GitProcesses {
  readonly path: string;
  readonly #running = new Set<GitProcess>();
  #closed = false;

  constructor(path: string) {
    this.path = path;
  }

  start(args: readonly string[], options: SpawnOptions): GitProcess {
    if (this.#closed) throw new Unavailable('The git back end is stopping', { detail: 'Try again when the server is back' });
    const started = new GitProcess(this.path, args, options);
    this.#running.add(started);
    void started.ended.then(() => this.#running.delete(started));
    return started;
  }

  /**
   * Runs a command to its end. Any exit code is an answer.
   * @throws {Unavailable} past its deadline or where git does not start; {Internal} past `maxOutput`; the signal's reason when aborted.
   */
  async run(args: readonly string[], options: RunOptions): Promise<{ readonly code: number; readonly stdout: Buffer; readonly complaint: string }> {
    const started = this.start(args, options);
    const limit = options.maxOutput ?? 64 * 1024 ** 2;
    const chunks: Buffer[] = [];
    let bytes = 0;
    started.stdin.end(options.input);
    started.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limit) chunks.push(chunk);
      else void started.stop(`its answer is over ${limit} bytes`);
    });
    const drained = started.stdout.closed ? undefined : once(started.stdout, 'close');
    const { code } = await started.ended;
    await drained;
    options.signal?.throwIfAborted();
    if (bytes > limit) throw new Internal(`git ${commandOf(args)} was stopped: ${started.stopped ?? ''}`);
    if (code === null) throw new Unavailable(`git ${commandOf(args)} was stopped: ${started.stopped ?? 'by a signal'}`, { detail: 'Try again later' });
    return { code, stdout: Buffer.concat(chunks), complaint: started.complaint };
  }

  /** Ends what works in one repository. */
  async stopIn(directory: string, reason: string): Promise<void> {
    await Promise.all([...this.#running].filter((started) => started.directory === directory).map((started) => started.stop(reason)));
  }

  /** Ends everything and starts nothing more. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running].map((started) => started.stop('the server is stopping')));
  }
}

function commandOf(args: readonly string[]): string {
  return args.find((argument) => !argument.startsWith('-')) ?? '';
}
