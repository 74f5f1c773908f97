// Programs started from a small process of their own: a fork costs what its parent's memory costs, and a server has much of it.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Unavailable } from '#core/kernel/errors';
import { greetingBytes, readGreeting, type Ending, type Order, type Report, type StartOrder } from './launcher-orders.ts';

/** A program that has been started. The streams of one that was quick may be closed already. */
export interface Launched {
  readonly stdin: Socket;
  readonly stdout: Socket;
  /** Descriptors 3 and up. */
  readonly pipes: readonly Socket[];
  readonly ended: Promise<Ending>;
  /** To its whole group, while it runs. */
  kill(signal: NodeJS.Signals): void;
  /** Whether it keeps this process from ending. */
  hold(held: boolean): void;
}

/** After that long without work it ends. */
const idleMs = 60_000;
/** A helper that takes longer to start a program is ended. */
const startMs = 30_000;

interface Start {
  readonly lines: Socket[];
  readonly wanted: number;
  started: boolean;
  over: boolean;
  readonly ready: PromiseWithResolvers<readonly Socket[]>;
  readonly ended: PromiseWithResolvers<Ending>;
}

/** The helper, from its start to its end. */
class Helper {
  readonly #child: ChildProcess;
  readonly #server: Server;
  readonly #starts = new Map<number, Start>();
  readonly #held = new Set<number>();
  readonly #onEnd: () => void;
  #idle: NodeJS.Timeout | undefined;
  #next = 0;

  private constructor(child: ChildProcess, server: Server, onEnd: () => void) {
    this.#child = child;
    this.#server = server;
    this.#onEnd = onEnd;
    child.unref();
    child.channel?.unref();
    server.unref();
    server.on('connection', (line) => this.#greeted(line));
    child.on('message', (report: Report) => this.#hear(report));
    child.once('exit', () => this.#lost());
    child.once('error', () => this.#lost());
    this.#rest();
  }

  /** @param onEnd is told when it takes no more. */
  static async start(onEnd: () => void): Promise<Helper> {
    const folder = await mkdtemp(join(tmpdir(), 'hexforge-')).catch((cause: unknown) => {
      throw new Unavailable('No process can be started: no temporary folder can be made', { detail: 'Look whether the disk is full, or set TMPDIR to a folder that can be written to', cause });
    });
    const path = join(folder, 'launcher');
    const server = createServer();
    try {
      await once(server.listen(path), 'listening');
    } catch (cause) {
      await rm(folder, { recursive: true, force: true });
      throw new Unavailable(`No process can be started: a socket in "${folder}" was refused`, { detail: 'Set TMPDIR to a folder with a short name that can be written to', cause });
    }
    const module = new URL(`./launcher-child${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
    // It removes the folder: it outlives a server that is killed.
    return new Helper(fork(module, [path], { execArgv: ['--max-semi-space-size=1'], env: {}, cwd: '/', detached: true, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }), server, onEnd);
  }

  async launch(order: Omit<StartOrder, 'id'>): Promise<Launched> {
    const id = this.#next++;
    const start: Start = { lines: [], wanted: 2 + order.pipes, started: false, over: false, ready: Promise.withResolvers(), ended: Promise.withResolvers() };
    clearTimeout(this.#idle);
    this.#starts.set(id, start);
    this.#hold(id, true);
    this.#send({ id, ...order });
    const late = setTimeout(() => this.#child.kill('SIGKILL'), startMs);
    const [stdin, stdout, ...pipes] = await start.ready.promise.finally(() => clearTimeout(late));
    if (stdin === undefined || stdout === undefined) throw new Unavailable('A process was started without its pipes');
    // Nothing comes from it but its end.
    stdin.resume();
    return {
      stdin, stdout, pipes,
      ended: start.ended.promise,
      kill: (signal) => {
        if (!start.over) this.#send({ id, signal });
      },
      hold: (held) => {
        for (const line of [stdin, stdout, ...pipes]) line[held ? 'ref' : 'unref']();
        if (this.#starts.has(id)) this.#hold(id, held);
      },
    };
  }

  /** Its programs hear of it by the end of their input. */
  stop(): void {
    this.#onEnd();
    clearTimeout(this.#idle);
    this.#server.close();
    if (this.#child.connected) this.#child.disconnect();
  }

  #send(order: Order): void {
    this.#child.send(order, (error) => {
      if (error !== null) this.#lost();
    });
  }

  #greeted(line: Socket): void {
    // A program that ends early breaks its pipes; how it ended says why.
    line.on('error', () => undefined);
    line.once('readable', () => {
      const bytes = line.read(greetingBytes) as Buffer | null;
      const said = bytes === null ? undefined : readGreeting(bytes);
      const start = said === undefined ? undefined : this.#starts.get(said.id);
      if (said === undefined || start === undefined) {
        line.destroy();
        return;
      }
      start.lines[said.descriptor] = line;
      this.#settle(start, said.id);
    });
  }

  /** A short program has ended before its connections are heard of. */
  #settle(start: Start, id: number): void {
    // As many as there should be, and none left out.
    if (!start.started || Object.keys(start.lines).length < start.wanted) return;
    start.ready.resolve(start.lines);
    if (start.over) this.#forget(id);
  }

  #hear(report: Report): void {
    const { id } = report;
    const start = this.#starts.get(id);
    if (start === undefined) return;
    if ('failed' in report) {
      for (const line of start.lines) line?.destroy();
      start.ready.reject(new Unavailable(`A program could not be started (${report.failed})`));
      this.#forget(id);
      return;
    }
    if ('started' in report) {
      start.started = true;
    } else {
      start.over = true;
      start.ended.resolve(report.ended);
    }
    this.#settle(start, id);
  }

  #forget(id: number): void {
    this.#starts.delete(id);
    this.#hold(id, false);
    this.#rest();
  }

  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#starts.size === 0) this.#idle = setTimeout(() => this.stop(), idleMs).unref();
  }

  #hold(id: number, held: boolean): void {
    if (held) this.#held.add(id);
    else this.#held.delete(id);
    this.#child.channel?.[this.#held.size > 0 ? 'ref' : 'unref']();
  }

  /** Without it nobody says how they ended: to who waits, they were killed. */
  #lost(): void {
    this.stop();
    for (const { lines, ready, ended } of this.#starts.values()) {
      for (const line of lines) line?.destroy();
      ready.reject(new Unavailable('A program could not be started: the process that starts them has ended'));
      ended.resolve({ code: null, signal: 'SIGKILL', complaint: '' });
    }
    this.#starts.clear();
  }
}

export class Launcher {
  #helper: Promise<Helper> | undefined;

  /**
   * Starts a program in a group of its own.
   * @throws {Unavailable} where it does not start.
   */
  async launch(program: string, args: readonly string[], environment: Readonly<Record<string, string>>, pipes = 0): Promise<Launched> {
    this.#helper ??= this.#start();
    return (await this.#helper).launch({ program, args, environment, pipes });
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
    const starting = Helper.start(forget);
    starting.catch(forget);
    return starting;
  }
}
