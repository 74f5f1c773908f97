// "hexforge/testing": what a plugin author tests a plugin with.
import { aesSealer } from '#adapters/crypto/sealer';
import { memoryRateCounter, openMemory, systemClock, systemIds } from '#adapters/memory/index';
import type { Log } from '#core/kernel/log';
import type { PortName, PortValue } from '#core/kernel/ports';
import type { Clock, Ids } from '#core/kernel/time';
import { freePort } from '#host/address';
import { Machine } from '#host/boot';
import { check } from '#host/check';
import type { PluginDefinition } from '#host/definition';
import { httpServer } from '#host/http';
import type { State } from '#host/life';
import type { Plan } from '#host/plan';
import { Refused, type Problem } from '#host/problem';
import { hostProviders } from '#host/providers';
import { version } from '#host/version';

export { Refused, type Problem };

export interface TestHostOptions {
  /** Plugin name → its configuration. */
  readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly providers?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /**
   * Plugins treated as third-party ones: their routes live under `/api/v1/x/<plugin>/`, their answers are stripped, and
   * their events start with their name.
   */
  readonly foreign?: readonly string[];
  /** Default: one that does not exist; a plugin that touches the disk is given one. */
  readonly dataDir?: string;
  /** Milliseconds for a build or start, and for a stop. */
  readonly limits?: { readonly start: number; readonly stop: number };
  readonly announce?: (line: string) => void;
  readonly log?: Log;
}

export interface TestHost {
  port<K extends PortName>(name: K): PortValue<K>;
  /** Plugin name → where it stands and why. */
  states(): Readonly<Record<string, { readonly state: State; readonly reason: string | undefined }>>;
  readiness: Machine['readiness'];
  /** Every served route as `METHOD /path`. */
  routes(): readonly string[];
  /** Resolves when every event committed so far was delivered once. */
  drained(): Promise<void>;
  /** Serves over HTTP on a free port, every answer held against its schema. @returns the URL. */
  listen(): Promise<string>;
  stop(): Promise<void>;
}

const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const noDirectory = '/nonexistent/hexforge-test';

/**
 * A host with exactly these plugins over memory storage, started.
 * @throws {Refused} with what `hexforge check` or a start would say.
 */
export async function testHost(
  definitions: readonly PluginDefinition[],
  options: TestHostOptions = {},
): Promise<TestHost> {
  const { clock = systemClock, ids = systemIds, log = silent } = options;
  const plan = planOf(definitions, options);
  const problems = check(plan);
  if (problems.length > 0) throw new Refused(problems);
  const port = await freePort('127.0.0.1');
  const baseUrl = `http://127.0.0.1:${port}`;
  const storage = { ...openMemory({ clock, ids, log }), column: 'memory' } as const;
  const machine = new Machine({
    plan,
    storage,
    logOf: () => log,
    limits: options.limits ?? { start: 30_000, stop: 10_000 },
    instance: {
      baseUrl,
      webUrl: baseUrl,
      dataDir: options.dataDir ?? noDirectory,
      version,
      announce: options.announce ?? (() => undefined),
    },
    own: hostProviders({
      plan,
      storage,
      clock,
      ids,
      sealer: aesSealer(new Uint8Array(32)),
      rateCounter: memoryRateCounter(),
    }),
  });
  let stopServer = async (): Promise<void> => undefined;
  const stop = async (): Promise<void> => {
    await stopServer();
    await machine.stop();
    await storage.close();
  };
  try {
    await machine.migrate();
    await machine.build();
    await machine.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    port: (name) => machine.container.port(name),
    states: () => Object.fromEntries(machine.lives.map(({ name, state, reason }) => [name, { state, reason }])),
    readiness: machine.readiness,
    routes: () => machine.routes.map(({ route }) => `${route.method} ${route.path}`),
    drained: () => storage.drained(),
    async listen() {
      const server = httpServer(machine, {
        host: '127.0.0.1',
        port,
        trustedProxies: [],
        validateResponses: true,
        logOf: () => log,
      });
      stopServer = () => server.stop(1_000);
      return server.listen();
    },
    stop,
  };
}

function planOf(
  definitions: readonly PluginDefinition[],
  { config = {}, providers = {}, settings = {}, foreign = [] }: TestHostOptions,
): Plan {
  return {
    enabled: definitions,
    disabled: [],
    providers,
    settings,
    configOf: (plugin) => config[plugin] ?? {},
    isOutside: (plugin) => foreign.includes(plugin),
    mountOf: (plugin) => (foreign.includes(plugin) ? 'own' : 'anywhere'),
  };
}

/** Problems that only the company of other plugins can solve. */
const ofCompany: ReadonlySet<string> = new Set([
  'missing_port',
  'reference',
  'unknown_scope',
  'unknown_permission',
  'unknown_event',
  'unknown_read',
]);

/** What is wrong with a definition by itself; with good defaults and good manners, nothing. */
export function checkPlugin(
  definition: PluginDefinition,
  options: Pick<TestHostOptions, 'config' | 'settings'> = {},
): readonly Problem[] {
  return check(planOf([definition], options)).filter(({ code }) => !ofCompany.has(code));
}
