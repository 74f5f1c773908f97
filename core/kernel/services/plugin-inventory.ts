// The inventory of plugins: the state and the declarations of every configured plugin.
import { declarePort } from '../ports.ts';

/** A served route. */
export interface RouteRecord {
  readonly id: string;
  readonly method: string;
  /** From the root of the server. */
  readonly path: string;
  /**
   * The required access: `anyone`, `signed-in`, `session`, `admin (admin:users)`, `super-admin`, or a permission such
   * as `repo.read on repository`.
   */
  readonly access: string;
  /** The scope row that a token must satisfy. */
  readonly scope: string | null;
}

/** Plain JSON. The command line and the operation `adminPluginList` return it unchanged. */
export interface PluginRecord {
  readonly name: string;
  /** Null if the plugin was not loaded, because it is disabled or failed to load. Its lists are then empty. */
  readonly version: string | null;
  /** `standard`, `package NAME` or `path FILE`. */
  readonly origin: string;
  readonly enabled: boolean;
  /** The lifecycle state, or `disabled`. */
  readonly state: string;
  /** The reason for the state `rejected`, `failed`, `skipped` or `degraded`. */
  readonly reason: string | null;
  /** The remedy for the states `rejected`, `failed` and `skipped`. */
  readonly remedy: string | null;
  /** The number of dead letters: events that wait for `hexforge plugins replay` or `drop`. */
  readonly parked: number;
  /** Names of the ports that it provides. */
  readonly provides: readonly string[];
  /** Names of the ports that it uses, including late ones and those that its routes require. */
  readonly needs: readonly string[];
  /** Those of `needs` that it uses only after the start, or not at all where no plugin provides them. */
  readonly late: readonly string[];
  readonly routes: readonly RouteRecord[];
  readonly tables: readonly string[];
  /** Tables and views of other plugins that its own refer to. */
  readonly references: readonly string[];
  /** Keys of its part of the configuration. */
  readonly config: readonly string[];
  /** Environment variables that set such a key. */
  readonly environment: readonly string[];
  /** Keys of the settings that it declares. */
  readonly settings: readonly string[];
  /** Keys of the settings of repositories that it declares. */
  readonly repository_settings: readonly string[];
  /** Keys of other plugins' settings that it reads. */
  readonly reads: readonly string[];
  /** Event types. */
  readonly events: { readonly handles: readonly string[]; readonly emits: readonly string[] };
  /** Actions of the audit entries that it appends. */
  readonly audits: readonly string[];
  readonly jobs: readonly { readonly name: string; readonly seconds: number }[];
  /** Names of its health checks. */
  readonly probes: readonly string[];
  readonly permissions: readonly string[];
  readonly scopes: readonly string[];
  readonly tools: readonly string[];
  readonly indexers: readonly string[];
  readonly pages: readonly string[];
  /** Ids of its channels of live updates. */
  readonly channels: readonly string[];
  /** Hosts that it declares to connect to. Informational, not enforced. */
  readonly outbound: readonly string[];
  /** Names of the lists that are unknown until the plugin is built. */
  readonly untold: readonly string[];
}

/** The port that lists the configured plugins. */
export interface PluginInventory {
  /** Every configured plugin, in the order of the configuration. */
  list(): Promise<readonly PluginRecord[]>;
}

declare module '../ports.ts' {
  interface Ports {
    PluginInventory: PluginInventory;
  }
}

declarePort('PluginInventory', {
  arity: 'single',
  component: 'inventory of plugins',
  critical: false,
  absent: 'refuse',
});
