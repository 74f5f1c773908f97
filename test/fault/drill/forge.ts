// The forge under a drill: its processes, folders and database, which can be read while it runs.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { layCluster } from '#test/support/servers/cluster';
import { createDatabase } from '#test/support/servers/postgres';
import { freePort, processes, ServerProcess, type RunningProcess } from '#test/support/servers/server-process';
import { processesAt, recordsOf, type Records } from '../inspection.ts';
import type { Finding } from './register.ts';

export type Engine = 'embedded' | 'postgresql';

export interface ForgeOptions {
  readonly engine: Engine;
  /** The number of processes that share the database and the data directory. */
  readonly processes?: number;
  readonly preload?: string;
  readonly environment?: (root: string) => Readonly<Record<string, string>>;
  /** Returns a shell script that starts the server. */
  readonly shell?: (root: string) => string;
  /** Returns an address that replaces the address of the database, such as that of a proxy. */
  readonly through?: (databaseUrl: string) => Promise<string>;
  /**
   * Prepares the folders before the first start. `lay` creates an empty embedded database in the data directory, which
   * the first start would create otherwise.
   */
  readonly prepare?: (forge: Forge, lay: () => Promise<void>) => Promise<void>;
}

/** The grace period of running requests after SIGTERM; `graceMs` is added before a server is killed. */
export const stopMs = 10_000;
const graceMs = 3000;
/** The first start may create the embedded database. */
const startMs = 120_000;

export class Forge {
  readonly root: string;
  readonly dataDir: string;
  /** A temporary directory that only the processes of this forge use. */
  readonly temporary: string;
  readonly databaseUrl: string | undefined;
  readonly servers: ServerProcess[] = [];
  readonly #options: ForgeOptions;
  readonly #ports: readonly number[];
  readonly #reachedBy: string | undefined;
  readonly #drop: () => Promise<void>;

  private constructor(
    root: string,
    options: ForgeOptions,
    parts: {
      readonly ports: readonly number[];
      readonly databaseUrl: string | undefined;
      readonly reachedBy: string | undefined;
      readonly drop: () => Promise<void>;
    },
  ) {
    this.root = root;
    this.dataDir = join(root, 'data');
    this.temporary = join(root, 'tmp');
    this.databaseUrl = parts.databaseUrl;
    this.#reachedBy = parts.reachedBy;
    this.#options = options;
    this.#ports = parts.ports;
    this.#drop = parts.drop;
  }

  /** Creates the forge without starting it. */
  static async create(options: ForgeOptions): Promise<Forge> {
    const root = await mkdtemp(join(tmpdir(), 'hexforge-drill-'));
    const database = options.engine === 'embedded' ? undefined : await createDatabase();
    const forge = new Forge(root, options, {
      ports: await Promise.all(Array.from({ length: options.processes ?? 1 }, freePort)),
      databaseUrl: database?.url,
      reachedBy: database && options.through ? await options.through(database.url) : database?.url,
      drop: async () => database?.drop(),
    });
    await mkdir(forge.dataDir, { mode: 0o700 });
    await mkdir(forge.temporary);
    const lay = async (): Promise<void> => {
      if (database === undefined) await layCluster(forge.dataDir);
    };
    await (options.prepare?.(forge, lay) ?? lay());
    return forge;
  }

  get urls(): readonly string[] {
    return this.#ports.map((port) => `http://127.0.0.1:${port}`);
  }

  /** Starts a server without waiting until it is ready. */
  launch(index = 0): ServerProcess {
    const { preload, environment, shell } = this.#options;
    const server = new ServerProcess({
      dataDir: this.dataDir,
      databaseUrl: this.#reachedBy,
      port: this.#ports[index] ?? 0,
      environment: { TMPDIR: this.temporary, ...environment?.(this.root) },
      ...(preload !== undefined && { preload }),
      ...(shell !== undefined && { shell: shell(this.root) }),
    });
    this.servers[index] = server;
    return server;
  }

  async start(index = 0): Promise<void> {
    const { ready } = this.launch(index);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`no server was ready after ${startMs} ms`)), startMs);
    await Promise.race([ready, late.promise]).finally(() => clearTimeout(timer));
  }

  async startAll(): Promise<void> {
    await Promise.all(this.#ports.map((_, index) => this.start(index)));
  }

  /** The processes of one server, itself first. */
  tree(index = 0): readonly RunningProcess[] {
    const server = this.servers[index];
    if (server?.running !== true) return [];
    return [{ pid: server.pid, parent: process.pid, command: '' }, ...processes(server.pid)];
  }

  /** Kills all processes of one server at one moment: they are suspended first. */
  async killTree(index = 0): Promise<void> {
    const frozen = this.freeze(index);
    for (const pid of frozen) signal(pid, 'SIGKILL');
    await this.servers[index]?.ended();
  }

  /** Suspends all processes of one server. @returns their ids, including children started in the meantime. */
  freeze(index = 0): readonly number[] {
    const frozen = new Set<number>();
    for (let grown = true; grown;) {
      grown = false;
      for (const { pid } of this.tree(index)) {
        if (frozen.has(pid)) continue;
        signal(pid, 'SIGSTOP');
        grown = frozen.add(pid).size > 0;
      }
    }
    return [...frozen];
  }

  /** Ends the servers with SIGTERM. @returns findings about servers that did not end as they must. */
  async stop(): Promise<readonly Finding[]> {
    const findings = await Promise.all(
      this.servers
        .filter(({ running }) => running)
        .map(async (server): Promise<Finding[]> => {
          const from = performance.now();
          server.signal('SIGTERM');
          const late = setTimeout(() => server.signal('SIGKILL'), stopMs + graceMs);
          const code = await server.ended();
          clearTimeout(late);
          if (code === 0) return [];
          const ms = Math.round(performance.now() - from);
          return [
            {
              kind: 'left',
              text: `a server ended with ${code ?? 'SIGKILL'} ${ms} ms after SIGTERM:\n${server.log.slice(-800)}`,
            },
          ];
        }),
    );
    return [...findings.flat(), ...(await this.leavings())];
  }

  /**
   * Findings about processes and temporary folders that belong to no running server, after waiting for them to
   * disappear for at most 10 s by default.
   */
  async leavings(patience = 10_000): Promise<readonly Finding[]> {
    for (const until = Date.now() + patience; ;) {
      const found = await this.#leavings();
      if (found.length === 0 || Date.now() > until) return found;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #leavings(): Promise<readonly Finding[]> {
    const alive = this.servers.flatMap((_, index) => this.tree(index).map(({ pid }) => pid));
    const strangers = [...(await processesAt(this.dataDir)), ...(await processesAt(this.temporary))].filter(
      ({ pid }) => !alive.includes(pid),
    );
    // A launcher that was replaced remains while its programs run.
    const commands = this.servers.flatMap((_, index) => this.tree(index).map(({ command }) => command));
    const folders = (await readdir(this.temporary)).filter((name) => !commands.some((line) => line.includes(name)));
    // The folder of a killed server is removed by its next start, and a launcher that is ending may have one more.
    const having = this.servers.filter(({ running, killed }) => running || killed).length;
    return [
      ...strangers.map(({ command }): Finding => ({ kind: 'left', text: `a process is left: ${command}` })),
      ...(folders.length > having
        ? [
            {
              kind: 'left',
              text: `the temporary directory of ${having} servers holds ${folders.join(', ')}`,
            } as const,
          ]
        : []),
    ];
  }

  /** Reads the committed records. The embedded database is copied while its server is stopped, as after a crash. */
  async records(): Promise<Records> {
    if (this.databaseUrl !== undefined) return recordsOf(this.dataDir, this.databaseUrl);
    const copy = join(this.root, 'copy');
    const [server] = this.servers;
    await rm(copy, { recursive: true, force: true });
    await mkdir(copy, { mode: 0o700 });
    server?.signal('SIGSTOP');
    try {
      await promisify(execFile)('cp', ['-r', join(this.dataDir, 'database'), copy]);
    } finally {
      server?.signal('SIGCONT');
    }
    try {
      return await recordsOf(copy, undefined);
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  }

  /** Kills all remaining processes. */
  async quit(): Promise<void> {
    for (const [index] of this.servers.entries()) await this.killTree(index);
    for (const { pid } of [...(await processesAt(this.dataDir)), ...(await processesAt(this.temporary))])
      signal(pid, 'SIGKILL');
  }

  /** Removes the database and the folders. To be called when no process runs. */
  async remove(): Promise<void> {
    await this.#drop();
    await rm(this.root, { recursive: true, force: true });
  }
}

/** Sends a signal to a process that may have ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}
