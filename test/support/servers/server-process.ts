// A forge in its own process that tests can start, watch, kill and start again on the same data.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** The words of `npm start`: `env`, variables, `node`, its flags, the program and its command. */
const words = (
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } }
).scripts.start
  .split(' ')
  .map((word) => (word.startsWith('bin/') ? join(root, word) : word));
const program = words.slice(words.indexOf('node') + 1);
const variables = Object.fromEntries(words.slice(1, words.indexOf('node')).map((word) => word.split('=', 2)));

export interface ServerOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly databaseUrl: string | undefined;
  /** Added to the environment of every server here, and overrides it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** A module loaded into the server before anything else. */
  readonly preload?: string;
  /** Shell commands that run before the server in the same process, such as `ulimit -n 256`. */
  readonly shell?: string;
}

export class ServerProcess {
  readonly #child: ChildProcess;
  readonly url: string;
  /** Resolves when the line `listening on` was printed. */
  readonly ready: Promise<void>;
  #stderr = '';

  /** Starts the process; `ready` resolves when it listens. */
  constructor({ dataDir, port, databaseUrl, environment, preload, shell }: ServerOptions) {
    const command = [process.execPath, ...(preload === undefined ? [] : ['--import', preload]), ...program];
    const [file = '', ...args] = shell === undefined ? command : ['sh', '-c', `${shell}; exec "$@"`, 'sh', ...command];
    const child = spawn(file, args, {
      cwd: dataDir,
      env: {
        PATH: process.env.PATH,
        HOME: dataDir,
        ...variables,
        PORT: String(port),
        HEXFORGE_DATA_DIR: dataDir,
        HEXFORGE_RATE_LIMIT: 'off',
        HEXFORGE_ADMIN_PASSWORD: adminPassword,
        ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.url = `http://127.0.0.1:${port}`;
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-20_000);
    });
    this.ready = new Promise<void>((resolve, reject) => {
      let seen = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        seen += chunk.toString();
        if (seen.includes('listening on')) resolve();
      });
      child.once('exit', (code) =>
        reject(new Error(`the server ended with ${code} before it was ready:\n${this.#stderr}`)),
      );
    });
    this.ready.catch(() => undefined);
  }

  /** Resolves when the server is ready. */
  static async start(options: ServerOptions): Promise<ServerProcess> {
    const server = new ServerProcess(options);
    await server.ready;
    return server;
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** The last lines of its log. */
  get log(): string {
    return this.#stderr;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get killed(): boolean {
    return this.#child.signalCode !== null;
  }

  async ended(): Promise<number | null> {
    if (!this.running) return this.#child.exitCode;
    const [code] = (await once(this.#child, 'exit')) as [number | null];
    return code;
  }
}

export const adminPassword = 'correct horse battery staple';

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Every process below `pid`, or every process if it is undefined. */
export function processes(below?: number): RunningProcess[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return state === 'Z'
          ? []
          : [
              {
                pid: Number(name),
                parent: Number(parent),
                command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim(),
              },
            ];
      } catch {
        return []; // it ended meanwhile
      }
    });
  if (below === undefined) return all;
  const family = new Set([below]);
  for (let grown = true; grown;) {
    grown = false;
    for (const { pid, parent } of all) if (family.has(parent) && !family.has(pid)) grown = family.add(pid).size > 0;
  }
  return all.filter(({ pid }) => pid !== below && family.has(pid));
}

/** The command lines of these processes. */
export const commandLines = (below?: number): string[] => processes(below).map(({ command }) => command);

/** A port that was free at the time of the call. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
