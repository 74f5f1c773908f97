// Starts a PostgreSQL cluster for the tests: temporary, on a free port, run by an unprivileged user, removed by `stop`.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, install, isRoot, run } from './machine.ts';

export interface Cluster {
  /** The URL of a superuser that may create databases. */
  readonly url: string;
  /** The start of `select version()`, such as `PostgreSQL 15.18`. */
  readonly version: string;
  /** The folder of its programs. */
  readonly bin: string;
  /** Stops the server until `resume`. `fast` closes its connections, `immediate` acts like a crash. */
  pause(mode: 'fast' | 'immediate'): Promise<void>;
  resume(): Promise<void>;
  stop(): void;
}

export interface ClusterOptions {
  /**
   * Commits are handed to the operating system before they are acknowledged, so that a crash of PostgreSQL alone loses
   * none.
   */
  readonly durable?: boolean;
}

const least = 15;

/** The newest installed `bin` folder of a supported version. */
function binaries(): string | undefined {
  const versionOf = (path: string): number =>
    Number(/\/postgresql\/(\d+)\//.exec(path)?.[1] ?? /pgsql-(\d+)\//.exec(path)?.[1] ?? 0);
  return globSync(['/usr/lib/postgresql/*/bin/initdb', '/usr/pgsql-*/bin/initdb'])
    .filter((path) => versionOf(path) >= least)
    .sort((a, b) => versionOf(b) - versionOf(a))[0]
    ?.replace(/\/initdb$/, '');
}

/** The user to run PostgreSQL as if this process is root, because PostgreSQL refuses to run as root. */
function unprivileged(): string | undefined {
  if (!isRoot) return undefined;
  for (const name of ['postgres', 'nobody']) if (spawnSync('id', ['-u', name]).status === 0) return name;
  throw new Error('There is no user "postgres" or "nobody" to run PostgreSQL as');
}

export async function startCluster({ durable = false }: ClusterOptions = {}): Promise<Cluster> {
  if (binaries() === undefined) install('postgresql');
  const bin = binaries();
  if (bin === undefined)
    throw new Error(
      `There is no PostgreSQL ${least} or later, and the one that apt-get brings is older; set HEXFORGE_TEST_POSTGRES_URL`,
    );
  const user = unprivileged();
  const commandOf = (command: string, arguments_: readonly string[]): [string, readonly string[]] =>
    user === undefined
      ? [join(bin, command), arguments_]
      : ['runuser', ['-u', user, '--', join(bin, command), ...arguments_]];
  const as = (command: string, arguments_: readonly string[]): string =>
    run(...commandOf(command, arguments_), { cwd: tmpdir() });
  const meanwhile = async (command: string, arguments_: readonly string[]): Promise<void> => {
    const [file, all] = commandOf(command, arguments_);
    const child = spawn(file, all, { cwd: tmpdir(), stdio: 'ignore' });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`"${[file, ...all].join(' ')}" ended with ${code}`);
  };

  const folder = mkdtempSync(join(tmpdir(), 'hexforge-postgres-'));
  const data = join(folder, 'data');
  let running = false;
  const stop = (): void => {
    if (running) as('pg_ctl', ['-D', data, '-m', 'immediate', '-w', 'stop']);
    running = false;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    chmodSync(folder, 0o755);
    if (user !== undefined) run('chown', [user, folder]);
    as('initdb', ['-D', data, '-U', 'hexforge', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']);
    const port = await freePort();
    // The tests do not crash the machine, so the cluster need not survive that.
    const settings = [
      `-p ${port}`,
      '-h 127.0.0.1',
      `-k ${folder}`,
      '-c fsync=off',
      ...(durable ? [] : ['-c synchronous_commit=off']),
      '-c full_page_writes=off',
      '-c max_connections=200',
    ];
    const start = ['-D', data, '-l', join(folder, 'log'), '-w', '-o', settings.join(' '), 'start'];
    as('pg_ctl', start);
    running = true;
    const version = as('psql', [
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-U',
      'hexforge',
      '-d',
      'postgres',
      '-tAc',
      'show server_version',
    ]).trim();
    return {
      url: `postgres://hexforge@127.0.0.1:${port}/postgres`,
      version: `PostgreSQL ${version.split(' ')[0]}`,
      bin,
      pause: async (mode) => {
        await meanwhile('pg_ctl', ['-D', data, '-m', mode, '-w', 'stop']);
        running = false;
      },
      resume: async () => {
        await meanwhile('pg_ctl', start);
        running = true;
      },
      stop,
    };
  } catch (error) {
    stop();
    throw error;
  }
}
