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
import { spentBy, spentResource } from '#core/kernel/resources';
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

/** A program that has been started. The streams of one that was quick may be closed already. */
export interface LaunchedProcess {
  readonly stdin: Socket;
  readonly stdout: Socket;
  /** Descriptors 3 and up. */
  readonly pipes: readonly Socket[];
  readonly ended: Promise<ProcessExit>;
  /** To its whole group, while it runs. */
  kill(signal: NodeJS.Signals): void;
  /** Whether it keeps this process from ending. */
  hold(held: boolean): void;
}

/** Milliseconds. */
interface LauncherTimes {
  /** After that long without work the helper ends. */
  readonly idle: number;
  /** Where there are no connections for so long, another helper takes its place. */
  readonly connections: number;
  /** Where it takes longer to start a program, it is ended. */
  readonly start: number;
}

const defaults: LauncherTimes = { idle: 60_000, connections: 10_000, start: 30_000 };

/** In the environment of every program: the folder of the helper that started it. */
const helperVariable = 'HEXFORGE_HELPER';

type Environment = Readonly<Record<string, string>>;

interface Connection {
  readonly number: number;
  readonly socket: Socket;
}

interface Start {
  readonly connections: readonly Connection[];
  readonly started: PromiseWithResolvers<void>;
  readonly ended: PromiseWithResolvers<ProcessExit>;
}

/** Milliseconds until the programs of a lost helper are looked for again, where no descriptor was left for it. */
const lookAgainMs = 100;

const helperGone = (): Unavailable =>
  new Unavailable('A program could not be started: the process that starts them has ended');

/** As `StartCommand` has them; `pipes` beyond standard input and output. */
export interface LaunchOptions extends Partial<Pick<StartCommand, 'budget' | 'kept' | 'niceness'>> {
  readonly pipes?: number | undefined;
  readonly owner?: string | undefined;
}

/** The helper, from its start to its end. */
class Helper {
  readonly #child: ChildProcess;
  readonly #server: Server;
  readonly #folder: string;
  readonly #times: LauncherTimes;
  /** Connected already, so that a start waits for nothing but the program. */
  readonly #spare: Connection[] = [];
  /** Who waits for connections, first come first. */
  readonly #wanting: { readonly count: number; readonly take: PromiseWithResolvers<readonly Connection[]> }[] = [];
  readonly #starts = new Map<number, Start>();
  readonly #held = new Set<number>();
  readonly #onEnd: () => void;
  #idle: NodeJS.Timeout | undefined;
  #next = 0;
  #retired = false;
  #burying = false;

  private constructor(
    child: ChildProcess,
    parts: {
      readonly server: Server;
      readonly folder: string;
      readonly times: LauncherTimes;
      readonly onEnd: () => void;
    },
  ) {
    this.#child = child;
    const { server } = parts;
    this.#server = server;
    this.#folder = parts.folder;
    this.#times = parts.times;
    this.#onEnd = parts.onEnd;
    child.unref();
    child.channel?.unref();
    server.unref();
    server.on('connection', (connection) => this.#greeted(connection));
    child.on('message', (notice: Notice) => this.#hear(notice));
    child.once('exit', () => this.#lost());
    child.once('error', () => this.#lost());
    this.#rest();
  }

  /** @param onEnd is told when it takes no more. */
  static async start(
    times: LauncherTimes,
    { environment, memory }: { readonly environment: Environment; readonly memory: MemoryBounds },
    onEnd: () => void,
  ): Promise<Helper> {
    const { folder, server, release } = await listening();
    const module = new URL(`./launcher-child${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
    const compiled = getCompileCacheDir();
    try {
      // It removes the folder: it outlives a server that is killed.
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
        spentResource(cause, 'temporary files') ??
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
      // Another may have ended while this one waited.
      clearTimeout(this.#idle);
      this.#starts.set(id, start);
      const environment = { ...command.environment, [helperVariable]: this.#folder };
      this.#send({ id, ...command, environment, connections: start.connections.map(({ number }) => number) });
      const late = setTimeout(() => this.#child.kill('SIGKILL'), this.#times.start);
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
    // Nothing comes from it but its end.
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

  /** Its programs hear of it by the end of their input. */
  stop(): void {
    this.#onEnd();
    clearTimeout(this.#idle);
    this.#server.close();
    for (const { socket } of this.#spare.splice(0)) socket.destroy();
    if (this.#child.connected) this.#child.disconnect();
  }

  #send(command: Command): void {
    this.#child.send(command, (error) => {
      if (error !== null) this.#lost();
    });
  }

  #greeted(socket: Socket): void {
    // A program that ends early breaks its pipes; how it ended says why.
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

  /** The helper replaces what it is told to use. */
  async #take(count: number): Promise<readonly Connection[]> {
    if (count > spareConnections)
      throw new Internal(`A program is started with ${count} connections; ${spareConnections} are allowed`);
    const take = Promise.withResolvers<readonly Connection[]>();
    this.#wanting.push({ count, take });
    this.#share();
    const late = setTimeout(() => this.#retire(), this.#times.connections);
    return await take.promise.finally(() => clearTimeout(late));
  }

  /** Whoever comes next has another helper; this one stays for what runs. */
  #retire(): void {
    this.#onEnd();
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
        spentBy(/\bE[A-Z]{2,12}\b/.exec(notice.failed)?.[0] ?? '', 'temporary files', undefined) ??
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
      this.#idle = setTimeout(() => this.stop(), this.#retired ? 0 : this.#times.idle).unref();
  }

  #hold(id: number, held: boolean): void {
    if (held) this.#held.add(id);
    else this.#held.delete(id);
    this.#child.channel?.[this.#held.size > 0 ? 'ref' : 'unref']();
  }

  /** Nobody says any more how its programs end. */
  #lost(): void {
    this.stop();
    for (const { take } of this.#wanting.splice(0)) take.reject(helperGone());
    if (!this.#burying) void this.#bury();
  }

  /** Its programs are ended before they count as ended: what is looked at then, such as a ref, they change no more. */
  async #bury(): Promise<void> {
    this.#burying = true;
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) {
      this.#child.kill('SIGKILL');
      await once(this.#child, 'exit');
    }
    // Its own doing, unless it was killed.
    await rm(this.#folder, { recursive: true, force: true }).catch(() => undefined);
    while (this.#starts.size > 0) {
      const starts = [...this.#starts];
      for (const [, { connections }] of starts) for (const { socket } of connections) socket.destroy();
      const mark = { variable: `${helperVariable}=${this.#folder}`, argument: socketIn(this.#folder) };
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
  readonly #times: LauncherTimes;
  readonly #environment: Environment;
  readonly #memory: MemoryBounds;
  #helper: Promise<Helper> | undefined;

  /**
   * @param environment of the helper and of every program it starts, beside that program's own.
   * @param memory that programs together may hold.
   */
  constructor(times: Partial<LauncherTimes> = {}, environment: Environment = {}, memory: MemoryBounds = {}) {
    this.#memory = memory;
    this.#times = { ...defaults, ...times };
    this.#environment = environment;
  }

  /**
   * Starts a program in a group of its own.
   * @throws {Unavailable} where it does not start.
   */
  async launch(
    program: string,
    args: readonly string[],
    environment: Environment,
    { pipes = 0, owner = '', budget = 'computations', kept = false, niceness = 0 }: LaunchOptions = {},
  ): Promise<LaunchedProcess> {
    this.#helper ??= this.#start();
    const whole = { ...environment, ...this.#environment };
    return (await this.#helper).launch({ program, args, environment: whole, owner, budget, kept, niceness }, pipes);
  }

  async close(): Promise<void> {
    const helper = await this.#helper?.catch(() => undefined);
    helper?.stop();
  }

  /** Whoever comes first after the end of one, or after one that did not start, starts the next. */
  #start(): Promise<Helper> {
    const forget = (): void => {
      if (this.#helper === starting) this.#helper = undefined;
    };
    const options = { environment: this.#environment, memory: this.#memory };
    const starting = Helper.start(this.#times, options, forget);
    starting.catch(forget);
    return starting;
  }
}
