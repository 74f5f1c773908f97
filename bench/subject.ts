// The forge under measurement: starts and stops a server, fills it and sends it requests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { adminPassword as password, freePort, ServerProcess } from '#test/support/servers/server-process';

/** The same value as in `adapters/git-native/process/git-process.ts`. */
const computationNiceness = 10;

export interface SubjectOptions {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** More lines of the configuration's `plugins`. */
  readonly plugins?: string;
  /** If set, the server runs as in an installation, without the bare routes, with or without the plugin `limits`. */
  readonly metering?: 'on' | 'off';
}

export class Subject {
  readonly #server: ServerProcess;
  readonly url: string;
  readonly bare: string;
  /** Milliseconds from the start of the process to `listening on`. */
  readonly readyAfter: number;
  #token = '';

  private constructor(server: ServerProcess, bare: string, readyAfter: number) {
    this.#server = server;
    this.url = server.url;
    this.bare = bare;
    this.readyAfter = readyAfter;
  }

  /**
   * Starts the forge as in an installation, except that no measurement reaches the budgets and sessions outlast all
   * measurements.
   */
  static async start({ dataDir, databaseUrl, plugins = '', metering }: SubjectOptions): Promise<Subject> {
    const barePort = await freePort();
    const config = `${dataDir}.yaml`;
    const bare = `  limits: { enabled: false }\n  identity: { session_minutes: 120 }\n  bench-bare: { path: ${fileURLToPath(new URL('bare/bare-plugin.ts', import.meta.url))}, port: ${barePort} }\n`;
    await writeFile(config, metering === undefined ? `plugins:\n${bare}${plugins}` : '');
    const begun = performance.now();
    const server = await ServerProcess.start({
      dataDir,
      databaseUrl,
      port: await freePort(),
      environment: { HEXFORGE_CONFIG: config, HEXFORGE_RATE_LIMIT: metering ?? 'on' },
    });
    return new Subject(server, `http://127.0.0.1:${barePort}`, performance.now() - begun);
  }

  async stop(): Promise<void> {
    this.#server.signal('SIGTERM');
    await this.#server.ended();
  }

  /** Resident memory in MB. */
  async memory(): Promise<number> {
    const status = await readFile(`/proc/${this.#server.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
  }

  /** How much resident memory grows at most during `work`, in MB. */
  async memoryBeyond(work: () => Promise<unknown>): Promise<number> {
    const before = await this.memory();
    // Writing 5 resets the peak (proc(5)).
    await writeFile(`/proc/${this.#server.pid}/clear_refs`, '5');
    await work();
    const status = await readFile(`/proc/${this.#server.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024 - before;
  }

  /** Signs in. @returns a session token of the administrator. */
  async session(): Promise<string> {
    const login = await this.json('POST', '/api/v1/auth/login', { username: 'admin', password }, '');
    return (login as { access_token: string }).access_token;
  }

  async signIn(): Promise<void> {
    const wanted = { name: `bench ${Date.now()}`, scopes: ['repo:admin', 'issue:read'] };
    const created = await this.json('POST', '/api/v1/user/tokens', wanted, await this.session());
    this.#token = (created as { token: string }).token;
  }

  get token(): string {
    return this.#token;
  }

  get pid(): number {
    return this.#server.pid;
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` };
  }

  async json(method: string, path: string, body?: unknown, token = this.#token): Promise<unknown> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  }

  /** Inserts rows for a measurement through the bare routes. */
  async fill(what: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${this.bare}/${what}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`POST ${what} answered ${response.status}: ${await response.text()}`);
  }

  async createRepository(name: string): Promise<{ id: string }> {
    return (await this.json('POST', '/api/v1/repos', { name })) as { id: string };
  }

  cloneUrl(name: string): string {
    return `${this.url.replace('://', `://admin:${this.#token}@`)}/admin/${name}.git`;
  }
}

export interface GitOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Lowers the priority of git as the forge does for computations, so that neither has an advantage on a busy machine.
   */
  readonly patient?: boolean;
}

/** Runs stock git without this machine's configuration. */
export async function git(
  args: readonly string[],
  cwd?: string,
  { environment = {}, patient = false }: GitOptions = {},
): Promise<string> {
  const child = spawn('git', [...args], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Starts a new session, because niceness counts within a session.
    detached: patient,
  });
  if (patient) giveWay(child.pid);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

function giveWay(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, computationNiceness);
    writeFileSync(`/proc/${pid}/autogroup`, String(computationNiceness));
  } catch {
    // The process has ended, or the system has no autogroups.
  }
}
