// The inventory of plugins: for each one of the configuration how it stands and what it may do, as it was declared.
import { declarePort } from './ports.ts';

/** A route as it is served. */
export interface RouteRecord {
  readonly id: string;
  readonly method: string;
  /** From the server's root. */
  readonly path: string;
  /**
   * Who may call it: `anyone`, `signed-in`, `session`, `admin (admin:users)`, `super-admin`, or with a permission
   * `repo.read on repository`.
   */
  readonly access: string;
  /** The scope row that a token must satisfy. */
  readonly scope: string | null;
}

/** Plain JSON: the command line and the administrators' route show it as it is. */
export interface PluginRecord {
  readonly name: string;
  /** Null of one that was not loaded: it is off, or cannot be. Of such a plugin the lists are empty. */
  readonly version: string | null;
  /** `standard`, `package NAME` or `path FILE`. */
  readonly origin: string;
  readonly enabled: boolean;
  /** A state of its life, or `disabled`. */
  readonly state: string;
  /** Why it is `rejected`, `failed`, `skipped` or `degraded`. */
  readonly reason: string | null;
  /** Events that its handlers failed at too often: they wait for `hexforge plugins replay` or `drop`. */
  readonly parked: number;
  /** Ports. */
  readonly provides: readonly string[];
  /** Ports, late ones and those that routes require too. */
  readonly needs: readonly string[];
  readonly routes: readonly RouteRecord[];
  readonly tables: readonly string[];
  /** Keys of the settings it declares. */
  readonly settings: readonly string[];
  /** Keys of other plugins' settings that it reads. */
  readonly reads: readonly string[];
  /** Types of events. */
  readonly events: { readonly handles: readonly string[]; readonly emits: readonly string[] };
  readonly jobs: readonly { readonly name: string; readonly seconds: number }[];
  readonly permissions: readonly string[];
  readonly scopes: readonly string[];
  readonly tools: readonly string[];
  readonly indexers: readonly string[];
  readonly pages: readonly string[];
  /** Ids of its channels of live updates. */
  readonly channels: readonly string[];
  /** Hosts it says it connects to. Told, and not enforced. */
  readonly outbound: readonly string[];
  /** Which of these lists cannot be told before it is built. */
  readonly untold: readonly string[];
}

/** The port that lists the plugins of the configuration. */
export interface PluginInventory {
  /** Every plugin of the configuration, in its order. */
  list(): Promise<readonly PluginRecord[]>;
}

declare module './ports.ts' {
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
