// Starts a whole forge in this process: takes a configuration, returns a listening server.
import type { HttpServer } from '#adapters/http/server';
import type { Memory } from '#adapters/memory/index';
import type { Configuration } from '#host/configuration/configuration';
import type { Log } from '#core/kernel/services/log';
import type { PortName, PortValue } from '#core/kernel/ports';
import type { Deliveries } from '#core/kernel/storage/storage';
import { demandPort, listenRefusal } from './address.ts';
import type { Attribution } from '../watch/attribution.ts';
import type { Machine } from '../boot/boot.ts';
import { openControl } from '../control/socket.ts';
import { controls } from '../control/controls.ts';
import type { PluginDefinition } from '../plugin/definition.ts';
import { migrate, openForge, type OpenForge } from './forge.ts';
import { httpServer } from './http.ts';
import type { State } from '../plugin/life.ts';
import { openLog, type Sink } from './log.ts';
import { strangeVariables, type Listed } from '../loading/plugins.ts';
import type { SecretKeys } from '../storage/secret-key.ts';
import type { StorageAhead } from '../storage/storage-ahead.ts';

export interface ForgeOptions {
  /** Definitions besides the configured plugins; one with a configured name replaces it. */
  readonly definitions?: readonly PluginDefinition[];
  /** Set if the plugins have already been loaded and checked. */
  readonly listed?: Listed;
  /** Set if the storage has already been started. */
  readonly ahead?: StorageAhead;
  readonly stdout?: Sink;
  readonly stderr?: Sink;
  /** Identifies external plugins. Default: made from the configuration. */
  readonly attribution?: Attribution;
  /** Called with the machine before any plugin code runs. */
  readonly opened?: (machine: Machine) => void;
  /** For tests: validates every response against its schema. */
  readonly validateResponses?: boolean;
  /** For tests: the recheck interval of the access decision for long requests, in milliseconds. */
  readonly recheckMs?: number;
  /** For tests, with `database: memory`: the data of an earlier start. Default: empty. */
  readonly memory?: Memory | undefined;
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
  const logOf = openLog(configuration.logLevel, stderr);
  const log = logOf('host');
  const open = await openForge(configuration, { ...options, announce, logOf });
  options.opened?.(open.machine);
  for (const { variable, hint } of strangeVariables(configuration, open.plan))
    log.warn({ variable }, `this environment variable sets nothing. ${hint}`);
  for (const warning of open.warnings) log.warn({}, warning);
  const parts: Stoppable[] = [];
  const forge = new RunningForge(open, parts, log);
  try {
    // Checked after the storage is opened: if the same forge already runs, the error should name that process rather
    // than the port.
    await demandPort(configuration.host, open.port);
    await migrate(open);
    await open.machine.build();
    await open.machine.start();
    const server = httpServer(open.machine, {
      host: configuration.host,
      port: open.port,
      trustedProxies: configuration.trustedProxies,
      validateResponses: options.validateResponses ?? false,
      recheckMs: options.recheckMs,
      logOf,
    });
    parts.push({ what: 'the HTTP server', stop: () => server.stop(graceMs) });
    await forge.listen(server, configuration);
    parts.push({ what: 'the control socket', stop: await control(configuration.dataDir, forge, open.secretKeys, log) });
    announce(`listening on ${forge.url}`);
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

class RunningForge implements Forge {
  readonly #open: OpenForge;
  /** Parts besides the machine, in the order they were started. */
  readonly #parts: readonly Stoppable[];
  readonly #log: Log;
  #listening: { readonly url: string; readonly server: HttpServer } | undefined;
  #stopped: Promise<void> | undefined;

  constructor(open: OpenForge, parts: readonly Stoppable[], log: Log) {
    this.#open = open;
    this.#parts = parts;
    this.#log = log;
  }

  async listen(server: HttpServer, { host, port }: Configuration): Promise<void> {
    try {
      this.#listening = { url: await server.listen(), server };
    } catch (error) {
      throw listenRefusal(error, host, port) ?? error;
    }
  }

  get url(): string {
    return this.#listening?.url ?? this.#open.baseUrl;
  }

  port<K extends PortName>(name: K): PortValue<K> {
    return this.#open.machine.container.port(name);
  }

  async openapi(): Promise<object> {
    return (await this.#listening?.server.openapi()) ?? {};
  }

  plugins(): readonly PluginReport[] {
    return this.#open.machine.lives.map(({ name, definition: { version }, state, reason }) => ({
      name,
      version,
      state,
      ...(reason === undefined ? {} : { reason }),
    }));
  }

  get deliveries(): Deliveries {
    return this.#open.storage.deliveries;
  }

  drained(): Promise<void> {
    return this.#open.storage.drained();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { machine, storage } = this.#open;
    const began = performance.now();
    const left = (): number => stopMs - (performance.now() - began);
    const all: readonly Stoppable[] = [
      ...this.#parts.toReversed(),
      { what: 'the plugins', stop: () => machine.stop(left()) },
      { what: 'the storage', stop: () => storage.close() },
    ];
    for (const { what, stop } of all) {
      try {
        await stop();
      } catch (error) {
        this.#log.error({ err: error }, `${what} did not stop cleanly`);
      }
    }
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
