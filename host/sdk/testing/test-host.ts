// The test host: a whole forge around the tested plugins, with real users, repositories and tokens, in one process.
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixedClock, sequentialIds, type FixedClock } from '#adapters/memory/index';
import type { ChosenPlugin, Configuration } from '#host/configuration/configuration';
import { loadConfiguration } from '#host/configuration/load';
import { cheapForTests, standardPlugins } from '#config/standard';
import type { EventOf } from '#core/kernel/storage/events';
import type { Log } from '#core/kernel/services/log';
import type { PortName, PortValue } from '#core/kernel/ports';
import type { Ids } from '#core/kernel/time';
import { openDataDirectory } from '#host/storage/data-directory';
import type { PluginDefinition } from '#host/plugin/definition';
import type { State } from '#host/plugin/life';
import { openStorage } from '#host/server/forge';
import { listPlugins } from '#host/loading/plugins';
import { Refused } from '#host/problems/problem';
import { assemble, type AssembledHost } from './bare-host.ts';
import { Browser } from './browser.ts';
import { Client } from './client.ts';
import { testDatabase, type TestDatabase } from './database.ts';
import { gitOnDemand } from './git-on-demand.ts';
import { Inhabitants, type NewRepository, type NewUser, type TestRepository, type TestUser } from './inhabitants.ts';
import { Scheduled } from './scheduled.ts';
import { recordingEvents } from './recorded-events.ts';

export type { NewRepository, NewUser, TestRepository, TestUser };

// Loaded with this module, because every test host needs them.
await Promise.all(standardPlugins.map(({ module }) => import(module) as Promise<unknown>));

/** The options of a test host. */
export interface TestHostOptions {
  /** Plugin name to its part of the configuration, including standard plugins. */
  readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Settings that override defaults. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Port to the plugin that provides it, for ports that several plugins provide. */
  readonly providers?: Readonly<Record<string, string>>;
  /** Environment variables of the forge. The variables of the test process are ignored. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * `memory` (the default); `embedded`: the embedded database; or the URL of a PostgreSQL server whose user may create
   * databases. On a server, each host gets its own database, which is dropped when the host stops.
   */
  readonly database?: 'memory' | 'embedded' | `postgres://${string}` | `postgresql://${string}`;
  /** Whether requests are metered. Default: false, so that no test depends on the number of earlier requests. */
  readonly metering?: boolean;
  /** The clock only changes when the test moves it. Default: 2026-01-01T00:00:00Z. */
  readonly clock?: FixedClock;
  /** Default: consecutive ids, 00000000-0000-4000-8000-000000000001 and so on. */
  readonly ids?: Ids;
  /** Accounts created at the start. Other accounts are created when a test first uses their name. */
  readonly users?: readonly (string | ({ readonly username: string } & NewUser))[];
  /** Repositories created at the start, such as `alice/site`. */
  readonly repositories?: readonly (string | ({ readonly path: string } & NewRepository))[];
  /** Default: only errors, on standard error. */
  readonly log?: Log;
}

/** A forge in the process of the test. */
export interface TestHost extends AsyncDisposable {
  /** The URL of the HTTP server. */
  readonly url: string;
  readonly clock: FixedClock;
  /** Committed events, oldest first, including those of standard plugins. */
  readonly events: readonly EventOf[];
  /** Sends requests without a credential. */
  readonly anonymous: Client;
  get: Client['get'];
  /**
   * Sends requests as this user, signed in; with `scopes`, by a personal access token with exactly these scopes. The
   * account is created if it does not exist. `admin` is the administrator.
   */
  as(username: string, options?: { readonly scopes?: readonly string[] }): Client;
  /** A browser with its own cookies, for pages; with a username, signed in as that user by a session cookie. */
  browser(username?: string): Browser;
  /** Runs a job of a plugin once. @throws {Error} if there is no such job; an error of the job itself. */
  runJob(plugin: string, job: string): Promise<void>;
  /** Asks a probe of a plugin. @returns undefined if healthy. @throws {Error} if there is no such probe. */
  probe(plugin: string, probe: string): Promise<string | undefined>;
  /**
   * Moves the clock by this many milliseconds. Each job of the tested plugins runs at each time at which it is due, one
   * after the other. @throws {RangeError} for more than 10,000 runs; an error of a job.
   */
  advance(milliseconds: number): Promise<void>;
  /** The account of this name, created if it does not exist. */
  user(username: string, options?: NewUser): Promise<TestUser>;
  /** The repository of this path, such as `alice/site`, created if it does not exist. */
  repository(path: string, options?: NewRepository): Promise<TestRepository>;
  /** The value of a port, as its consumers get it. */
  port<K extends PortName>(name: K): PortValue<K>;
  plugins(): readonly { readonly name: string; readonly state: State; readonly reason: string | undefined }[];
  /** Every served route as `METHOD /path`, relative to `/api/v1`. */
  routes(): readonly string[];
  /** Resolves when every event committed so far has been delivered once. */
  drained(): Promise<void>;
  stop(): Promise<void>;
}

const onStandardError: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (members, message) => console.error(`hexforge: ${message}`, members),
};

/**
 * Starts a forge with the standard plugins and these, with HTTP on a free port. Routes are mounted as for an operator
 * (`/api/v1/x/<plugin>/`), and every response is validated against its schema.
 *
 * @example
 *   await using forge = await testHost([bell], { repositories: ['alice/site'] });
 *   const answer = await forge.as('alice').post('/x/bell/alice/site/rings', { json: { times: 3 } });
 *   assert.equal(answer.status, 201);
 *
 * @throws {Refused} with the problems that `hexforge check` or a start would report.
 */
export async function testHost(
  plugins: PluginDefinition | readonly PluginDefinition[],
  options: TestHostOptions = {},
): Promise<TestHost> {
  const definitions = 'name' in plugins ? [plugins] : plugins;
  const folder = mkdtempSync(join(tmpdir(), 'hexforge-test-host-'));
  const database = await testDatabase(options.database ?? 'memory', join(folder, 'data'));
  const removed = async (): Promise<void> => {
    await database.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    return await start(definitions, options, { folder, database, removed });
  } catch (error) {
    await removed();
    throw error;
  }
}

interface Place {
  readonly folder: string;
  readonly database: TestDatabase;
  removed(): Promise<void>;
}

async function start(
  definitions: readonly PluginDefinition[],
  options: TestHostOptions,
  { folder, database, removed }: Place,
): Promise<TestHost> {
  const { clock = fixedClock('2026-01-01T00:00:00Z'), ids = sequentialIds(), log = onStandardError } = options;
  const configuration = await configurationOf(definitions, options, { folder, database });
  const { plan: listed, problems } = await listPlugins(configuration, definitions);
  if (problems.length > 0) throw new Refused(problems);
  const plan = {
    ...listed,
    enabled: listed.enabled.map((one) => (definitions.includes(one) ? one : gitOnDemand(one))),
  };
  openDataDirectory(configuration.dataDir, { version: configuration.version, now: clock.now() });
  const opened = await openStorage(configuration, plan, { clock, ids, log });
  const { storage, events } = recordingEvents(opened, clock);
  const host = await assemble({
    plan,
    storage,
    clock,
    ids,
    log,
    dataDir: configuration.dataDir,
    announce: () => undefined,
    limits: configuration.limits,
  });
  const agent = new Agent({ keepAlive: true });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> =>
    (stopped ??= (async () => {
      agent.destroy();
      await host.stop();
      await removed();
    })());
  try {
    return await inhabited(
      { host, agent, stop, clock, events, tested: new Set(definitions.map(({ name }) => name)) },
      options,
    );
  } catch (error) {
    await stop();
    throw error;
  }
}

async function inhabited(
  parts: { readonly host: AssembledHost; readonly agent: Agent; readonly tested: ReadonlySet<string> } & Pick<
    TestHost,
    'clock' | 'events' | 'stop'
  >,
  { users = [], repositories = [] }: TestHostOptions,
): Promise<TestHost> {
  const { host, agent, clock, events, stop, tested } = parts;
  const scheduled = new Scheduled({ lives: host.lives, clock, tested });
  const url = await host.listen();
  const anonymous = new Client(url, agent);
  const inhabitants = new Inhabitants({ url, agent, anonymous, clock, admin });
  // Sequential, so that the ids are the same in every run.
  for (const user of users) {
    const { username, ...rest } = typeof user === 'string' ? { username: user } : user;
    await inhabitants.user(username, rest);
  }
  for (const repository of repositories) {
    const { path, ...rest } = typeof repository === 'string' ? { path: repository } : repository;
    await inhabitants.repository(path, rest);
  }
  return {
    url,
    clock,
    events,
    anonymous,
    get: (path, request) => anonymous.get(path, request),
    as: (username, { scopes } = {}) => inhabitants.client(username, scopes),
    browser: (username) =>
      new Browser(
        url,
        anonymous,
        username === undefined ? undefined : (browser) => inhabitants.enter(browser, username),
      ),
    runJob: (plugin, job) => scheduled.runJob(plugin, job),
    probe: (plugin, probe) => scheduled.probe(plugin, probe),
    advance: (milliseconds) => scheduled.advance(milliseconds),
    user: (username, rest) => inhabitants.user(username, rest),
    repository: (path, rest) => inhabitants.repository(path, rest),
    port: (name) => host.port(name),
    plugins: () => Object.entries(host.states()).map(([name, state]) => ({ name, ...state })),
    routes: () => host.routes(),
    drained: () => host.drained(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const admin = { username: 'admin', password: 'password of admin' } as const;

/** The configuration that an operator would write, with the tested plugins as external ones. */
async function configurationOf(
  definitions: readonly PluginDefinition[],
  { config = {}, settings = {}, providers = {}, environment = {}, metering = false }: TestHostOptions,
  { folder, database }: Pick<Place, 'folder' | 'database'>,
): Promise<Configuration> {
  const loaded = await loadConfiguration({
    cwd: folder,
    environment: {
      PATH: process.env['PATH'],
      HEXFORGE_ADMIN_USERNAME: admin.username,
      HEXFORGE_ADMIN_PASSWORD: admin.password,
      HEXFORGE_RATE_LIMIT: metering ? 'on' : 'off',
      ...environment,
      HEXFORGE_DATA_DIR: join(folder, 'data'),
      ...database.environment,
    },
  });
  const under = new Set(definitions.map(({ name }) => name));
  const configured = (plugin: ChosenPlugin): ChosenPlugin => ({
    ...plugin,
    config: { ...cheapForTests[plugin.name], ...plugin.config, ...config[plugin.name] },
  });
  const outside = [...under].map((name): ChosenPlugin => ({
    name,
    enabled: true,
    module: '',
    resolveFrom: folder,
    standard: false,
    mount: 'own',
    config: {},
  }));
  return {
    ...loaded,
    plugins: [...loaded.plugins.filter(({ name }) => !under.has(name)), ...outside].map(configured),
    settings: { ...loaded.settings, ...settings },
    providers: { ...loaded.providers, ...providers },
  };
}
