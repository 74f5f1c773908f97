// The bare host: exactly the given plugins over memory storage. For tests of one part of a plugin, or of how plugins
// interact.
import { aesSealer } from '#adapters/crypto/sealer';
import type { Readiness } from '#adapters/http/routes/system-routes';
import { openMemory } from '#adapters/memory/index';
import { currentCaller } from '#adapters/system/current-caller';
import { systemClock, systemIds } from '#adapters/system/time';
import { memoryRateCounter } from '#core/kernel/limits/memory-rate-counter';
import type { Log } from '#core/kernel/services/log';
import type { PortName, PortValue } from '#core/kernel/ports';
import type { Clock, Ids } from '#core/kernel/time';
import { freePort } from '#host/server/address';
import { Machine } from '#host/boot/boot';
import { check } from '#host/check/check';
import type { PluginDefinition } from '#host/plugin/definition';
import { httpServer } from '#host/server/http';
import type { Life, State } from '#host/plugin/life';
import type { Plan } from '#host/plugin/plan';
import { Refused } from '#host/problems/problem';
import { hostProviders } from '#host/boot/providers';
import type { OpenStorage } from '#host/storage/storage';
import { version } from '#host/version';

/** Time limits in milliseconds: `start` for building or starting one plugin, `stop` for stopping it. */
interface TimeLimits {
  readonly start: number;
  readonly stop: number;
}

/** The configuration that an operator would write. */
export interface CheckOptions {
  /** Plugin name to its configuration. */
  readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** The options of a bare host. */
export interface BareHostOptions extends CheckOptions {
  readonly providers?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Plugins to treat as external: their routes are mounted under `/api/v1/x/<plugin>/`. */
  readonly foreign?: readonly string[];
  /** Default: a path that does not exist. Required for a plugin that uses the disk. */
  readonly dataDir?: string;
  readonly limits?: TimeLimits;
  readonly announce?: (line: string) => void;
  readonly log?: Log;
}

/** A started host with exactly the given plugins. */
export interface BareHost {
  port<K extends PortName>(name: K): PortValue<K>;
  /** Plugin name to its state and the reason. */
  states(): Readonly<Record<string, { readonly state: State; readonly reason: string | undefined }>>;
  /** The data of `/readyz`. */
  readiness(): Promise<Readiness>;
  /** Every served route as `METHOD /path`. */
  routes(): readonly string[];
  /** Resolves when each event committed so far has been passed to its handlers, whether they succeeded or failed. */
  drained(): Promise<void>;
  /** Serves HTTP on a free port, and validates every response against its schema. @returns the URL. */
  listen(): Promise<string>;
  stop(): Promise<void>;
}

const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const noDirectory = '/nonexistent/hexforge-test';

/**
 * Starts a host with exactly these plugins over memory storage.
 *
 * @example
 *   const host = await bareHost([bell], { foreign: ['bell'] });
 *   const url = await host.listen();
 *   assert.equal((await fetch(`${url}/api/v1/x/bell`)).status, 404);
 *   await host.stop();
 *
 * @throws {Refused} with the problems that `hexforge check` or a start would report.
 */
export async function bareHost(
  definitions: readonly PluginDefinition[],
  options: BareHostOptions = {},
): Promise<BareHost> {
  const { clock = systemClock, ids = systemIds, log = silent, dataDir = noDirectory } = options;
  const plan = planOf(definitions, options);
  const problems = check(plan);
  if (problems.length > 0) throw new Refused(problems);
  return assemble({
    plan,
    storage: { ...openMemory({ clock, ids, log }), column: 'memory' },
    clock,
    ids,
    log,
    dataDir,
    announce: options.announce ?? (() => undefined),
    limits: options.limits ?? { start: 30_000, stop: 10_000 },
  });
}

/** A bare host, with the lives of its plugins for a test host. */
export interface AssembledHost extends BareHost {
  readonly lives: readonly Life[];
}

export interface AssemblyParts {
  /** Already checked. */
  readonly plan: Plan;
  /** Closed when the host stops or fails to start. */
  readonly storage: OpenStorage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly dataDir: string;
  readonly announce: (line: string) => void;
  readonly limits: TimeLimits;
}

/** Migrates, builds and starts a host on the given parts. */
export async function assemble(parts: AssemblyParts): Promise<AssembledHost> {
  const { plan, storage, clock, ids, log, dataDir, announce, limits } = parts;
  const port = await freePort('127.0.0.1');
  const baseUrl = `http://127.0.0.1:${port}`;
  const machine = new Machine({
    plan,
    storage,
    limits,
    logOf: () => log,
    instance: { baseUrl, webUrl: baseUrl, dataDir, version, announce },
    own: hostProviders({
      plan,
      storage,
      clock,
      ids,
      sealer: aesSealer(new Uint8Array(32)),
      rateCounter: memoryRateCounter(),
      currentCaller: currentCaller(),
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
    lives: machine.lives,
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

export function planOf(
  definitions: readonly PluginDefinition[],
  { config = {}, providers = {}, settings = {}, foreign = [] }: BareHostOptions,
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
