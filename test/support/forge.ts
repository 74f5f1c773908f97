// A complete forge in this process for one test: a free port, its own data directory and database, and clients that
// check every answer against the OpenAPI document.
import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import tap from 'tap';
import { Memory } from '#adapters/memory/index';
import { loadConfiguration } from '#host/configuration/load';
import { standardPlugins } from '#config/standard';
import type { PluginDefinition } from '#host/plugin/definition';
import { startForge, type Forge } from '#host/server/serve';
import { Client } from './clients/client.ts';
import { layCluster } from './servers/cluster.ts';
import { databaseUnderTest, type Database } from './database.ts';
import { installed, startInstalled } from './servers/installed.ts';
import { Contract, type Document } from './clients/openapi.ts';
import { createDatabase, type TestDatabase } from './servers/postgres.ts';

export interface ForgeOptions {
  /** Default: HEXFORGE_TEST_DATABASE, else memory. */
  readonly database?: Database;
  /** Added to the environment of every test forge, and overrides it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Keys of the configuration file. */
  readonly configuration?: { readonly plugins?: Readonly<Record<string, object>>; readonly [key: string]: unknown };
  /** Plugins in addition to the standard ones. */
  readonly definitions?: readonly PluginDefinition[];
  /** The recheck interval in milliseconds: how long one access decision is valid during a transfer. */
  readonly recheckMs?: number;
  /** Starts on the data of this forge, which must be stopped. */
  readonly after?: Pick<TestForge, 'column' | 'dataDir' | 'databaseUrl' | 'memory'>;
}

export interface NewUser {
  readonly username?: string;
  readonly password?: string;
  readonly email?: string;
  readonly displayName?: string;
  readonly isAdmin?: boolean;
}

export interface TestUser {
  readonly id: string;
  readonly username: string;
  readonly password: string;
  /** Signed in with a session. */
  readonly client: Client;
}

export interface TestForge {
  readonly url: string;
  readonly dataDir: string;
  readonly column: Database;
  /** Undefined unless the database under test, `column`, is PostgreSQL. */
  readonly databaseUrl: string | undefined;
  /** Undefined unless the forge runs in memory. */
  readonly memory: Memory | undefined;
  readonly admin: { readonly username: string; readonly password: string };
  readonly anonymous: Client;
  readonly contract: Contract;
  readonly forge: Forge;
  /** Standard output and the log so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  as(token: string): Client;
  signIn(
    username: string,
    password: string,
  ): Promise<Client & { readonly user: { readonly id: string; readonly username: string }; readonly token: string }>;
  /** A session of the administrator, created once. */
  administrator(): Promise<Client>;
  createUser(username?: string, options?: NewUser): Promise<TestUser>;
  /** A client with a personal access token of the client's user. */
  pat(client: Client, scopes: readonly string[]): Promise<Client & { readonly token: string }>;
  /** Stops the server before the test ends. Its data remains until then. */
  stop(): Promise<void>;
}

/** The part of tap's `t` that is used. */
export interface Teardown {
  teardown(work: () => void | Promise<void>): unknown;
}

export const admin = { username: 'admin', password: 'correct horse battery staple' } as const;

class Captured extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

async function start(
  column: Database,
  dataDir: string,
  database: TestDatabase | undefined,
  options: ForgeOptions,
  memory?: Memory,
): Promise<{ forge: Forge; stdout: { readonly text: string }; stderr: { readonly text: string } }> {
  const file = join(dataDir, '..', 'hexforge.json');
  // JSON is valid YAML. Password hashes are cheap here; their real cost is tested with the password hasher.
  await writeFile(
    file,
    JSON.stringify({
      ...options.configuration,
      plugins: {
        identity: { scrypt_log_n: 4 },
        ...(process.env['HEXFORGE_TEST_UNINDEXED'] === 'true' && { search: { index_seconds: 86_400 } }),
        ...installed?.plugins,
        ...options.configuration?.plugins,
      },
    }),
  );
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOST: '127.0.0.1',
    PORT: '0',
    HEXFORGE_CONFIG: file,
    HEXFORGE_DATA_DIR: dataDir,
    HEXFORGE_DATABASE: column === 'memory' ? 'memory' : 'sql',
    HEXFORGE_ADMIN_USERNAME: admin.username,
    HEXFORGE_ADMIN_PASSWORD: admin.password,
    HEXFORGE_RATE_LIMIT: 'off',
    HEXFORGE_LOG_LEVEL: 'warn',
    ...(database === undefined ? {} : { DATABASE_URL: database.url }),
    ...options.environment,
  };
  if (installed !== undefined) return startInstalled(installed.folder, environment);
  const configuration = await loadConfiguration({ environment, cwd: join(dataDir, '..') });
  const stdout = new Captured();
  const stderr = new Captured();
  const forge = await startForge(configuration, {
    ...(options.definitions === undefined ? {} : { definitions: options.definitions }),
    ...(options.recheckMs === undefined ? {} : { recheckMs: options.recheckMs }),
    stdout,
    stderr,
    memory,
    validateResponses: true,
  });
  return { forge, stdout, stderr };
}

/**
 * A data directory and database after a first start, made once per process and copied for every forge, because making
 * one takes seconds.
 */
type Seed = Pick<TestForge, 'dataDir' | 'databaseUrl'>;

const seeds = new Map<Exclude<Database, 'memory'>, Promise<Seed>>();

async function makeSeed(column: Exclude<Database, 'memory'>): Promise<Seed> {
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-seed-'));
  const database = column === 'postgresql' ? await createDatabase() : undefined;
  tap.teardown(async () => {
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });
  const dataDir = join(folder, 'data');
  if (column === 'embedded') await layCluster(dataDir);
  const { forge } = await start(column, dataDir, database, {});
  await forge.stop();
  return { dataDir, databaseUrl: database?.url };
}

function seedOf(column: Exclude<Database, 'memory'>): Promise<Seed> {
  const known = seeds.get(column);
  if (known !== undefined) return known;
  const made = makeSeed(column);
  seeds.set(column, made);
  return made;
}

const documents = new Map<string, Promise<object>>();

/** The forge's OpenAPI document. It takes long to make, so forges with the same routes share one. */
async function documentOf(forge: Forge, { definitions = [], environment }: ForgeOptions): Promise<Document> {
  if (
    definitions.some(
      ({ name, routes }) => routes !== undefined || standardPlugins.some((standard) => standard.name === name),
    ) ||
    installed !== undefined
  )
    return (await forge.openapi()) as Document;
  const key = JSON.stringify([forge.plugins().map(({ name }) => name), environment?.['HEXFORGE_BASE_URL']]);
  const document = documents.get(key) ?? forge.openapi();
  documents.set(key, document);
  return (await document) as Document;
}

export async function startTestForge(t: Teardown, options: ForgeOptions = {}): Promise<TestForge> {
  const column = options.after?.column ?? options.database ?? databaseUnderTest();
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-test-'));
  const dataDir = join(folder, 'data');
  let database: TestDatabase | undefined;
  let stop = (): Promise<void> => Promise.resolve();
  t.teardown(async () => {
    await stop();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const memory = column === 'memory' ? (options.after?.memory ?? new Memory()) : undefined;
  const source = options.after ?? (column === 'memory' ? undefined : await seedOf(column));
  if (source !== undefined) {
    // Synchronous: the asynchronous copy of a thousand small files takes ten times as long.
    cpSync(source.dataDir, dataDir, { recursive: true });
    if (source.databaseUrl !== undefined) database = await createDatabase(source.databaseUrl);
  }
  const started = await start(column, dataDir, database, options, memory);
  const { forge } = started;
  stop = () => forge.stop();
  const { url } = forge;
  const contract = new Contract(await documentOf(forge, options));
  const anonymous = new Client(url, contract);

  const signIn = async (
    username: string,
    password: string,
  ): Promise<
    Client & { readonly user: { readonly id: string; readonly username: string }; readonly token: string }
  > => {
    const answer = await anonymous.post('/api/v1/auth/login', { body: { username, password } });
    if (answer.status !== 200) throw new Error(`signing in as "${username}" answered ${answer.status}: ${answer.text}`);
    const { access_token: token, user } = answer.body as {
      access_token: string;
      user: { id: string; username: string };
    };
    return Object.assign(anonymous.with({ authorization: `Bearer ${token}` }), { user, token });
  };

  let administrator: Promise<Client> | undefined;
  let users = 0;

  return {
    url,
    dataDir,
    column,
    databaseUrl: database?.url,
    memory,
    admin,
    anonymous,
    contract,
    forge,
    signIn,
    stop,
    get output() {
      return { stdout: started.stdout.text, stderr: started.stderr.text };
    },
    as: (token) => anonymous.with({ authorization: `Bearer ${token}` }),
    administrator: () => (administrator ??= signIn(admin.username, admin.password)),
    async createUser(name, given = {}) {
      const username = name ?? given.username ?? `user-${++users}`;
      const password = given.password ?? `password of ${username}`;
      const by = await (administrator ??= signIn(admin.username, admin.password));
      const answer = await by.post('/api/v1/admin/users', {
        body: {
          username,
          password,
          email: given.email ?? `${username.toLowerCase()}@example.com`,
          ...(given.displayName === undefined ? {} : { display_name: given.displayName }),
          ...(given.isAdmin === undefined ? {} : { is_admin: given.isAdmin }),
        },
      });
      if (answer.status !== 201)
        throw new Error(`creating the user "${username}" answered ${answer.status}: ${answer.text}`);
      const { id } = answer.body as { id: string };
      return { id, username, password, client: await signIn(username, password) };
    },
    async pat(client, scopes) {
      const answer = await client.post('/api/v1/user/tokens', {
        body: { name: `token-${randomBytes(4).toString('hex')}`, scopes },
      });
      if (answer.status !== 201) throw new Error(`creating a token answered ${answer.status}: ${answer.text}`);
      const { token } = answer.body as { token: string };
      return Object.assign(anonymous.with({ authorization: `Bearer ${token}` }), { token });
    },
  };
}
