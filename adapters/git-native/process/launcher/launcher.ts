// Starts programs from a small helper process: a fork copies the page tables of its parent, and those of a server are
// large.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import type { Server, Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Internal, Unavailable } from '#core/kernel/errors';
import { exhaustedBy, exhaustedResource } from '#core/kernel/access/resources';
import {
  headerBytes,
  readConnectionHeader,
  spareConnections,
  type ProcessExit,
  type Command,
  type MemoryBounds,
  type Notice,
  type StartCommand,
} from './launcher-messages.ts';
import { listening, socketIn } from './launcher-socket.ts';
import { isSpent, killMarked } from './process-table.ts';

/** A program that has been started. If it has already ended, its streams may be closed. */
export interface LaunchedProcess {
  readonly stdin: Socket;
  readonly stdout: Socket;
  /** Descriptors 3 and up. */
  readonly pipes: readonly Socket[];
  readonly ended: Promise<ProcessExit>;
  /** Sends a signal to its whole process group, while it runs. */
  kill(signal: NodeJS.Signals): void;
  /** Whether it keeps this process from exiting. */
  hold(held: boolean): void;
}

/** Milliseconds. */
interface LauncherTimes {
  /** Idle time after which the helper process ends. */
  readonly idle: number;
  /** The helper process is replaced if a start waits longer for connections. */
  readonly connections: number;
  /** The helper process is killed if the start of a program takes longer. */
  readonly start: number;
}

const defaults: LauncherTimes = { idle: 60_000, connections: 10_000, start: 30_000 };

/** In the environment of every program: the folder of the helper process that started it. */
const helperVariable = 'HEXFORGE_HELPER';

type Environment = Readonly<Record<string, string>>;

interface LauncherOptions {
  readonly times: LauncherTimes;
  readonly environment: Environment;
  readonly memory: MemoryBounds;
}

interface Connection {
  readonly number: number;
  readonly socket: Socket;
}

interface Start {
  readonly connections: readonly Connection[];
  readonly started: PromiseWithResolvers<void>;
  readonly ended: PromiseWithResolvers<ProcessExit>;
}

/**
 * Milliseconds until the search for the programs of a lost helper process is repeated, if no descriptor was free for
 * it.
 */
const lookAgainMs = 100;

const helperGone = (): Unavailable =>
  new Unavailable('A program could not be started: the process that starts them has ended');

/** The options of `StartCommand`; `pipes` are those beyond standard input and output. */
export interface LaunchOptions extends Partial<Pick<StartCommand, 'budget' | 'kept' | 'niceness'>> {
  readonly pipes?: number | undefined;
  readonly owner?: string | undefined;
}

interface HelperParts {
  readonly server: Server;
  readonly folder: string;
  readonly times: LauncherTimes;
  /** Called when it accepts no more programs. */
  readonly onEnd: () => void;
}

/** A helper process, from its start to its end. */
class Helper {
  readonly #child: ChildProcess;
  readonly #parts: HelperParts;
  /** Connections that are ready, so that a start only waits for the program. */
  readonly #spare: Connection[] = [];
  /** Starts that wait for connections, in order of arrival. */
  readonly #wanting: { readonly count: number; readonly take: PromiseWithResolvers<readonly Connection[]> }[] = [];
  readonly #starts = new Map<number, Start>();
  readonly #held = new Set<number>();
  #idle: NodeJS.Timeout | undefined;
  #next = 0;
  #retired = false;
  #burying = false;

  private constructor(child: ChildProcess, parts: HelperParts) {
    this.#child = child;
    this.#parts = parts;
    const { server } = parts;
    child.unref();
    child.channel?.unref();
    server.unref();
    server.on('connection', (connection) => this.#greeted(connection));
    child.on('message', (notice: Notice) => this.#hear(notice));
    child.once('exit', () => this.#lost());
    child.once('error', () => this.#lost());
    this.#rest();
  }

  static async start({ times, environment, memory }: LauncherOptions, onEnd: () => void): Promise<Helper> {
    const { folder, server, release } = await listening();
    const module = new URL(`./launcher-child${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
    const compiled = getCompileCacheDir();
    try {
      // The helper process removes the folder, because it outlives a server that is killed.
      const child = fork(module, [socketIn(folder), JSON.stringify(memory)], {
        execArgv: ['--max-semi-space-size=1'],
        env: { ...environment, ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) }) },
        cwd: '/',
        detached: true,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      return new Helper(child, { server, folder, times, onEnd });
    } catch (cause) {
      await release();
      throw (
        exhaustedResource(cause, 'temporary files') ??
        new Unavailable('No process can be started: the one that starts them was refused', { cause })
      );
    }
  }

  async launch(command: Omit<StartCommand, 'id' | 'connections'>, pipes: number): Promise<LaunchedProcess> {
    if (!this.#child.connected) throw helperGone();
    const id = this.#next++;
    clearTimeout(this.#idle);
    this.#hold(id, true);
    try {
      const start: Start = {
        connections: await this.#take(2 + pipes),
        started: Promise.withResolvers(),
        ended: Promise.withResolvers(),
      };
      // Another program may have ended in the meantime and set the idle timer.
      clearTimeout(this.#idle);
      this.#starts.set(id, start);
      const environment = { ...command.environment, [helperVariable]: this.#parts.folder };
      this.#send({ id, ...command, environment, connections: start.connections.map(({ number }) => number) });
      const late = setTimeout(() => this.#child.kill('SIGKILL'), this.#parts.times.start);
      await start.started.promise.finally(() => clearTimeout(late));
      return this.#launched(id, start);
    } catch (error) {
      this.#forget(id);
      throw error;
    }
  }

  #launched(id: number, { connections, ended }: Start): LaunchedProcess {
    const [stdin, stdout, ...pipes] = connections.map(({ socket }) => socket);
    if (stdin === undefined || stdout === undefined) throw new Unavailable('A process was started without its pipes');
    // Read only to notice its end; no data arrives from standard input.
    stdin.resume();
    return {
      stdin,
      stdout,
      pipes,
      ended: ended.promise,
      kill: (signal) => {
        if (this.#starts.has(id)) this.#send({ id, signal });
      },
      hold: (held) => {
        for (const { socket } of connections) socket[held ? 'ref' : 'unref']();
        if (this.#starts.has(id)) this.#hold(id, held);
      },
    };
  }

  /** Disconnects from the helper process, which then sends SIGTERM to its programs and exits. */
  stop(): void {
    this.#parts.onEnd();
    clearTimeout(this.#idle);
    this.#parts.server.close();
    for (const { socket } of this.#spare.splice(0)) socket.destroy();
    if (this.#child.connected) this.#child.disconnect();
  }

  #send(command: Command): void {
    this.#child.send(command, (error) => {
      if (error !== null) this.#lost();
    });
  }

  #greeted(socket: Socket): void {
    // A program that ends early breaks its pipes; its exit shows why.
    socket.on('error', () => undefined);
    socket.unref();
    socket.once('readable', () => {
      const bytes = socket.read(headerBytes) as Buffer | null;
      if (bytes === null) {
        socket.destroy();
        return;
      }
      this.#spare.push({ number: readConnectionHeader(bytes), socket });
      this.#share();
    });
  }

  /** Takes connections, which the helper process replaces once they are used. */
  async #take(count: number): Promise<readonly Connection[]> {
    if (count > spareConnections)
      throw new Internal(`A program is started with ${count} connections; ${spareConnections} are allowed`);
    const take = Promise.withResolvers<readonly Connection[]>();
    this.#wanting.push({ count, take });
    this.#share();
    const late = setTimeout(() => this.#retire(), this.#parts.times.connections);
    return await take.promise.finally(() => clearTimeout(late));
  }

  /**
   * Ends the use of this helper process for new programs, which start another one. It ends after its running programs.
   */
  #retire(): void {
    this.#parts.onEnd();
    this.#retired = true;
    for (const { take } of this.#wanting.splice(0))
      take.reject(
        new Unavailable('A program could not be started: no connection to it came about', {
          detail: 'Look whether the server may open enough files (ulimit -n)',
        }),
      );
    this.#rest();
  }

  #share(): void {
    for (
      let first = this.#wanting[0];
      first !== undefined && first.count <= this.#spare.length;
      first = this.#wanting[0]
    ) {
      this.#wanting.shift();
      const connections = this.#spare.splice(0, first.count);
      for (const { socket } of connections) socket.ref();
      first.take.resolve(connections);
    }
  }

  #hear(notice: Notice): void {
    const { id } = notice;
    const start = this.#starts.get(id);
    if (start === undefined) return;
    if ('started' in notice) {
      start.started.resolve();
    } else if ('failed' in notice) {
      for (const { socket } of start.connections) socket.destroy();
      start.started.reject(
        exhaustedBy(/\bE[A-Z]{2,12}\b/.exec(notice.failed)?.[0] ?? '', 'temporary files', undefined) ??
          new Unavailable(`A program could not be started (${notice.failed})`),
      );
    } else {
      start.ended.resolve(notice.ended);
      this.#forget(id);
    }
  }

  #forget(id: number): void {
    this.#starts.delete(id);
    this.#hold(id, false);
    this.#rest();
  }

  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#starts.size === 0)
      this.#idle = setTimeout(() => this.stop(), this.#retired ? 0 : this.#parts.times.idle).unref();
  }

  #hold(id: number, held: boolean): void {
    if (held) this.#held.add(id);
    else this.#held.delete(id);
    this.#child.channel?.[this.#held.size > 0 ? 'ref' : 'unref']();
  }

  /** Called when the helper process is lost and no longer reports how its programs end. */
  #lost(): void {
    this.stop();
    for (const { take } of this.#wanting.splice(0)) take.reject(helperGone());
    if (!this.#burying) void this.#bury();
  }

  /**
   * Kills the programs before they count as ended, so that they cannot change what is read afterwards, such as a ref.
   */
  async #bury(): Promise<void> {
    this.#burying = true;
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) {
      this.#child.kill('SIGKILL');
      await once(this.#child, 'exit');
    }
    // The helper process removes it, unless it was killed.
    await rm(this.#parts.folder, { recursive: true, force: true }).catch(() => undefined);
    while (this.#starts.size > 0) {
      const starts = [...this.#starts];
      for (const [, { connections }] of starts) for (const { socket } of connections) socket.destroy();
      const mark = { variable: `${helperVariable}=${this.#parts.folder}`, argument: socketIn(this.#parts.folder) };
      const looked = await killMarked([mark]).then(
        () => true,
        (error: unknown) => !isSpent(error),
      );
      if (!looked) {
        await pause(lookAgainMs);
        continue;
      }
      for (const [id, { started, ended }] of starts) {
        started.reject(helperGone());
        ended.resolve({ code: null, signal: 'SIGKILL', stderr: '' });
        this.#forget(id);
      }
    }
    this.#burying = false;
  }
}

export class Launcher {
  readonly #options: LauncherOptions;
  #helper: Promise<Helper> | undefined;

  /**
   * @param environment of the helper process and of every program, in addition to that program's own.
   * @param memory that the programs of a budget may use together.
   */
  constructor(times: Partial<LauncherTimes> = {}, environment: Environment = {}, memory: MemoryBounds = {}) {
    this.#options = { times: { ...defaults, ...times }, environment, memory };
  }

  /**
   * Starts a program in a separate process group.
   * @throws {Unavailable} if it does not start.
   */
  async launch(
    program: string,
    args: readonly string[],
    environment: Environment,
    { pipes = 0, owner = '', budget = 'computations', kept = false, niceness = 0 }: LaunchOptions = {},
  ): Promise<LaunchedProcess> {
    this.#helper ??= this.#start();
    const whole = { ...environment, ...this.#options.environment };
    return (await this.#helper).launch({ program, args, environment: whole, owner, budget, kept, niceness }, pipes);
  }

  async close(): Promise<void> {
    const helper = await this.#helper?.catch(() => undefined);
    helper?.stop();
  }

  /** Starts a helper process. After it has ended, or failed to start, the next launch starts another one. */
  #start(): Promise<Helper> {
    const forget = (): void => {
      if (this.#helper === starting) this.#helper = undefined;
    };
    const starting = Helper.start(this.#options, forget);
    starting.catch(forget);
    return starting;
  }
}
