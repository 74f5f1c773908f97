// The forge under a drill: its processes, its folders and its database, which can be looked at while it runs.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { layCluster } from '#test/support/cluster';
import { createDatabase } from '#test/support/postgres';
import { freePort, processes, ServerProcess, type RunningProcess } from '#test/support/server-process';
import { processesAt, recordsOf, type Records } from '../inspection.ts';
import type { Finding } from './register.ts';

export type Engine = 'embedded' | 'postgresql';

export interface ForgeOptions {
  readonly engine: Engine;
  /** How many processes share the database and the data directory. */
  readonly processes?: number;
  readonly preload?: string;
  readonly environment?: (root: string) => Readonly<Record<string, string>>;
  /** Commands of a shell that takes each server's place. */
  readonly shell?: (root: string) => string;
  /** What leads to the database in place of its own address. */
  readonly through?: (databaseUrl: string) => Promise<string>;
  /**
   * Of the folders, before anything starts. `lay` puts an empty embedded database into the data directory, which the
   * first start makes else.
   */
  readonly prepare?: (forge: Forge, lay: () => Promise<void>) => Promise<void>;
}

/** Document D, "Running it": requests in flight have 10 s. */
export const stopMs = 10_000;
const graceMs = 3000;
/** A first start may have to make the embedded database. */
const startMs = 120_000;

export class Forge {
  readonly root: string;
  readonly dataDir: string;
  /** The temporary directory of its processes, and of nobody else. */
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

  /** Nothing runs yet. */
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

  /** It may not be ready yet. */
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

  /** Of one server, itself first. */
  tree(index = 0): readonly RunningProcess[] {
    const server = this.servers[index];
    if (server?.running !== true) return [];
    return [{ pid: server.pid, parent: process.pid, command: '' }, ...processes(server.pid)];
  }

  /** Everything that one server runs, at one moment: frozen before it dies. */
  async killTree(index = 0): Promise<void> {
    const frozen = this.freeze(index);
    for (const pid of frozen) signal(pid, 'SIGKILL');
    await this.servers[index]?.ended();
  }

  /** @returns the processes that stand still, children born meanwhile too. */
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

  /** Everything that is wrong with how the servers end after SIGTERM. */
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

  /** Processes and temporary folders beyond those of the servers that run, after some seconds. */
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
    // A helper that no program is started with any more stays for those that run.
    const commands = this.servers.flatMap((_, index) => this.tree(index).map(({ command }) => command));
    const folders = (await readdir(this.temporary)).filter((name) => !commands.some((line) => line.includes(name)));
    // What a killed one leaves goes with its next start; a helper that has just ended may be one more.
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

  /** The embedded database is copied while its server stands still, and what would survive a crash is read. */
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

  /** Whatever runs still is ended. */
  async quit(): Promise<void> {
    for (const [index] of this.servers.entries()) await this.killTree(index);
    for (const { pid } of [...(await processesAt(this.dataDir)), ...(await processesAt(this.temporary))])
      signal(pid, 'SIGKILL');
  }

  /** Once nothing runs. */
  async remove(): Promise<void> {
    await this.#drop();
    await rm(this.root, { recursive: true, force: true });
  }
}

/** To one that may have ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone.
  }
}
