// Starts a whole forge in this process: takes a configuration, returns a listening server.
import type { HttpServer } from '#adapters/http/server';
import type { Configuration } from '#host/configuration/configuration';
import type { Log } from '#core/kernel/services/log';
import type { PortName, PortValue } from '#core/kernel/ports';
import type { Deliveries } from '#core/kernel/storage/storage';
import { demandPort, listenRefusal } from './address.ts';
import type { Machine } from '../boot/boot.ts';
import { openControl } from '../control/socket.ts';
import { controls } from '../control/controls.ts';
import { migrate, openForge, type OpenForge, type OpenOptions } from './forge.ts';
import { httpServer } from './http.ts';
import type { State } from '../plugin/life.ts';
import { openLog, type Sink } from './log.ts';
import { traitsOf } from '../plugin/plan.ts';
import { isTerminal, withoutMigrations } from './terminal.ts';
import { strangeVariables } from '../loading/plugins.ts';
import type { SecretKeys } from '../storage/secret-key.ts';

export interface ForgeOptions extends Partial<Omit<OpenOptions, 'announce' | 'logOf'>> {
  readonly stdout?: Sink;
  readonly stderr?: Sink;
  /** Called with the machine before any plugin code runs. */
  readonly opened?: (machine: Machine) => void;
  /** For tests: validates every response against its schema. */
  readonly validateResponses?: boolean;
  /** For tests: the recheck interval of the access decision for long requests, in milliseconds. */
  readonly recheckMs?: number;
}

export interface PluginReport {
  readonly name: string;
  readonly version: string;
  readonly state: State;
  readonly reason?: string;
}

export interface Forge {
  /** The URL of the HTTP server. */
  readonly url: string;
  /** Waits at most 9 s for requests in flight, then stops the plugins and closes the storage. Never rejects. */
  stop(): Promise<void>;
  port<K extends PortName>(name: K): PortValue<K>;
  openapi(): Promise<object>;
  plugins(): readonly PluginReport[];
  /** Pending events and dead letters of event handlers. */
  readonly deliveries: Deliveries;
  /** Resolves when every event committed so far has been delivered once. */
  drained(): Promise<void>;
}

/** A clean stop takes at most this many milliseconds; anything left is killed with the process. */
export const stopMs = 10_000;
/** The part of it for requests in flight; the last second is for the plugins and the storage. */
const graceMs = 9_000;

/** Starts the forge. @throws {Refused} with every problem and its remedy; nothing is left running. */
export async function startForge(configuration: Configuration, options: ForgeOptions = {}): Promise<Forge> {
  const { stdout = process.stdout, stderr = process.stderr } = options;
  const announce = (line: string): void => void stdout.write(`${line}\n`);
  const terminal = isTerminal(stdout, stderr);
  const fullLog = openLog(configuration.logLevel, stderr);
  const logOf = terminal && configuration.logLevel !== 'debug' ? withoutMigrations(fullLog, announce) : fullLog;
  const log = logOf('host');
  const open = await openForge(configuration, { ...options, announce, logOf });
  const { machine, storage } = open;
  options.opened?.(machine);
  for (const { variable, hint } of strangeVariables(configuration, open.plan))
    log.warn({ variable }, `this environment variable sets nothing. ${hint}`);
  for (const warning of open.warnings) log.warn({}, warning);
  /** Parts besides the machine and the storage, in the order they were started. */
  const parts: Stoppable[] = [];
  let url = open.baseUrl;
  let server: HttpServer | undefined;
  let stopped: Promise<void> | undefined;
  const forge: Forge = {
    get url() {
      return url;
    },
    stop: () => (stopped ??= stop(open, parts, log)),
    port: (name) => machine.container.port(name),
    openapi: async () => (await server?.openapi()) ?? {},
    plugins: () =>
      machine.lives.map(({ name, definition: { version }, state, reason }) => ({
        name,
        version,
        state,
        ...(reason === undefined ? {} : { reason }),
      })),
    deliveries: storage.deliveries,
    drained: () => storage.drained(),
  };
  // The port is declared by the plugin that provides pages or needs them.
  const hasPages = (): boolean =>
    traitsOf('PageFrame') !== undefined && machine.container.port('PageFrame') !== undefined;
  try {
    const { host } = configuration;
    const { port } = open;
    // Checked after the storage is opened: if the same forge already runs, the error should name that process rather
    // than the port.
    await demandPort(host, port);
    await migrate(open);
    await machine.build();
    await machine.start();
    const { trustedProxies, idleMs } = configuration;
    const { validateResponses = false, recheckMs } = options;
    const opened = httpServer(machine, { host, port, trustedProxies, idleMs, validateResponses, recheckMs, logOf });
    parts.push({ what: 'the HTTP server', stop: () => opened.stop(graceMs) });
    url = await opened.listen().catch((error: unknown) => {
      throw listenRefusal(error, host, configuration.port) ?? error;
    });
    server = opened;
    parts.push({ what: 'the control socket', stop: await control(configuration.dataDir, forge, open.secretKeys, log) });
    announce(`listening on ${url}`);
    if (terminal && hasPages()) announce(`open ${open.webUrl} in a browser to sign in`);
    return forge;
  } catch (error) {
    await forge.stop();
    throw error;
  }
}

interface Stoppable {
  readonly what: string;
  stop(): Promise<void>;
}

async function stop({ machine, storage }: OpenForge, parts: readonly Stoppable[], log: Log): Promise<void> {
  const began = performance.now();
  const left = (): number => stopMs - (performance.now() - began);
  for (const part of [
    ...parts.toReversed(),
    { what: 'the plugins', stop: () => machine.stop(left()) },
    { what: 'the storage', stop: () => storage.close() },
  ])
    try {
      await part.stop();
    } catch (error) {
      log.error({ err: error }, `${part.what} did not stop cleanly`);
    }
}

/** If the file system has no sockets, the command line cannot reach this server; nothing else is affected. */
async function control(dataDir: string, forge: Forge, secretKeys: SecretKeys, log: Log): Promise<() => Promise<void>> {
  try {
    return await openControl(dataDir, controls(forge, secretKeys));
  } catch (error) {
    log.warn({ err: error }, 'the command line cannot reach this server: no socket in the data directory');
    return async () => undefined;
  }
}
