// The bare host: exactly the plugins given over memory storage, for tests of one builder or of how plugins meet.
import { aesSealer } from '#adapters/crypto/sealer';
import { currentCaller, memoryRateCounter, openMemory, systemClock, systemIds } from '#adapters/memory/index';
import type { Log } from '#core/kernel/log';
import type { PortName, PortValue } from '#core/kernel/ports';
import type { Clock, Ids } from '#core/kernel/time';
import { freePort } from '#host/address';
import { Machine } from '#host/boot';
import { check } from '#host/check';
import type { Readiness } from '#host/contributions/probes';
import type { PluginDefinition } from '#host/definition';
import { httpServer } from '#host/http';
import type { State } from '#host/life';
import type { Plan } from '#host/plan';
import { Refused } from '#host/problem';
import { hostProviders } from '#host/providers';
import type { OpenStorage } from '#host/storage';
import { version } from '#host/version';

/** Milliseconds for a build or start, and for a stop. */
interface TimeLimits {
  readonly start: number;
  readonly stop: number;
}

/** What an operator would configure. */
export interface CheckOptions {
  /** Plugin name → its configuration. */
  readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** What a bare host is made with. */
export interface BareHostOptions extends CheckOptions {
  readonly providers?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Plugins treated as third-party ones: their routes live under `/api/v1/x/<plugin>/`. */
  readonly foreign?: readonly string[];
  /** Default: one that does not exist; a plugin that touches the disk is given one. */
  readonly dataDir?: string;
  readonly limits?: TimeLimits;
  readonly announce?: (line: string) => void;
  readonly log?: Log;
}

/** A host with exactly the given plugins, started. */
export interface BareHost {
  port<K extends PortName>(name: K): PortValue<K>;
  /** Plugin name → where it stands and why. */
  states(): Readonly<Record<string, { readonly state: State; readonly reason: string | undefined }>>;
  /** What `/readyz` says. */
  readiness(): Promise<Readiness>;
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
 *
 * @example
 *   const host = await bareHost([bell], { foreign: ['bell'] });
 *   const url = await host.listen();
 *   assert.equal((await fetch(`${url}/api/v1/x/bell`)).status, 404);
 *   await host.stop();
 *
 * @throws {Refused} with what `hexforge check` or a start would say.
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

export interface AssemblyParts {
  /** Checked. */
  readonly plan: Plan;
  /** Closed by the host's stop, and where it does not start. */
  readonly storage: OpenStorage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly dataDir: string;
  readonly announce: (line: string) => void;
  readonly limits: TimeLimits;
}

/** A host on what was opened for it, migrated, built and started. */
export async function assemble(parts: AssemblyParts): Promise<BareHost> {
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
