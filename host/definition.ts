// A plugin definition: plain data and builders, typed so that a builder receives exactly what was declared.
import type Joi from 'joi';
import type { LiveChannel } from '#adapters/http/live/channel';
import type { Route } from '#adapters/http/route';
import type { MemoryDatabase } from '#adapters/memory/database';
import type { Migration, SqlDatabase } from '#adapters/postgres/database';
import type { EventType, Subscription } from '#core/kernel/events';
import type { Log } from '#core/kernel/log';
import type { PermissionDeclaration } from '#core/kernel/permissions';
import type { OptionalPorts, PluralPorts, PortContract, PortName, PortValue } from '#core/kernel/ports';
import type { ScopeRow } from '#core/kernel/scopes';
import type { SettingKey, SettingSpec } from '#core/kernel/settings';
import type { Indexer } from './contributions/indexers.ts';
import type { WebPage } from './contributions/pages.ts';
import type { Tool } from './contributions/tools.ts';

export type { PermissionDeclaration };

/**
 * The version of what `hexforge/plugin` exports, apart from the version of the forge. A plugin's `api` is a range on
 * it.
 */
export const PLUGIN_API_VERSION = '0.2.0';

/**
 * Work repeated on a timer. Of several processes on one database one runs it; the next run starts so long after the
 * last has ended.
 */
export interface Job {
  readonly name: string;
  readonly everySeconds: number;
  run(signal: AbortSignal): Promise<void>;
}

/** A reading for `/readyz` and the health snapshot. */
export interface Probe {
  readonly name: string;
  /** Resolves to undefined when well, to a sentence when not. */
  check(): Promise<string | undefined>;
}

/** Where the instance lives, for the few adapters that touch the disk or render URLs. */
export interface Instance {
  /** {base_url} of document A, without a trailing slash. */
  readonly baseUrl: string;
  readonly webUrl: string;
  /** Absolute. */
  readonly dataDir: string;
  readonly version: string;
  /** One plain line on standard output, for what an operator must see once: a generated password. Never logged. */
  announce(line: string): void;
}

/** The name of a port that can be a late need: an optional or a plural one. */
export type LateName = keyof OptionalPorts | keyof PluralPorts;

/** What every builder receives: the ports it needs by name, its configuration, its stores and a log. */
export type Context<C, N extends PortName, L extends LateName, S> = { readonly [K in N]: PortValue<K> } & {
  readonly config: C;
  readonly stores: S;
  readonly log: Log;
  readonly instance: Instance;
  /** Needs that take no part in the order of start; reading one before the host has started throws. */
  readonly late: { readonly [K in L]: PortValue<K> };
};

/** What a plugin is, as `definePlugin` takes it. */
export interface PluginSpec<C, N extends PortName, L extends LateName, S, Parts> {
  /** Lower-case words joined by hyphens. Tables start with it, hyphens as underscores. */
  readonly name: string;
  readonly version: string;
  /** A semver range on the version of the plugin API. */
  readonly api: string;
  /**
   * `isolate`: its failure leaves the others running. Refused for a plugin that provides a security-critical port.
   * Default `fail`.
   */
  readonly onFailure?: 'fail' | 'isolate';
  /**
   * Checks and defaults the plugin's part of the configuration, `plugins.<name>`. Each key has a `.description()` with
   * its unit;
   * a secret one has `.meta({ secret: true })` and is masked when the configuration is shown.
   */
  readonly config?: Joi.ObjectSchema<C>;
  /** Environment names for configuration keys: `{ LDAP_URL: 'url' }`. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly needs?: readonly N[];
  readonly late?: readonly L[];
  readonly stores?: {
    readonly [K in keyof S]: { readonly sql: (db: SqlDatabase) => S[K]; readonly memory: (db: MemoryDatabase) => S[K] };
  };
  /** Builds the plugin's use cases, once, after its needs are built. Opens nothing: that is `start`. */
  readonly build?: (context: Context<C, N, L, S>) => Parts | Promise<Parts>;
  readonly provides?: { readonly [K in PortName]?: (parts: Parts, context: Context<C, N, L, S>) => PortContract<K> };
  /** Settings of its own; it may read these and those in `reads`. */
  readonly settings?: readonly SettingSpec[];
  /** Keys of settings of others that it reads: `['signup.enabled']`. Reading another one is refused. */
  readonly reads?: readonly SettingKey[];
  /**
   * Types of the events it emits: `['bell.rung']`. Those of a third-party plugin are named `<plugin>.<what>`. Emitting
   * another one is refused.
   */
  readonly emits?: readonly EventType[];
  /** Hosts it connects to: `['hooks.example.com']`. Shown to the operator, not enforced. */
  readonly outbound?: readonly string[];
  readonly scopes?: readonly ScopeRow[];
  readonly permissions?: readonly PermissionDeclaration[];
  /** Entities (`defineEntity`) of the SQL stores. */
  readonly entities?: readonly object[];
  /** Tables and views that are there after the last migration; compared with what the migrations really made. */
  readonly tables?: readonly string[];
  /**
   * Published tables and views of required areas that foreign keys or joins of this plugin name; compared with the
   * foreign keys and views that the migrations really made.
   */
  readonly references?: readonly string[];
  readonly migrations?: readonly Migration[];
  /**
   * Makes the route descriptors. The host also calls it before the plugin is built, to see what is claimed: `config` is
   * the real one then, and the rest are stand-ins that may be taken apart and passed on, and throw when used.
   */
  readonly routes?: (parts: Parts, context: Context<C, N, L, S>) => readonly Route[];
  /** Channels of live updates (`channel`), claimed as `routes` are. */
  readonly channels?: (parts: Parts, context: Context<C, N, L, S>) => readonly LiveChannel[];
  /** MCP tools (`tool`), claimed as `routes` are. */
  readonly tools?: (parts: Parts, context: Context<C, N, L, S>) => readonly Tool[];
  /** What of its data a search finds (`indexer`), claimed as `routes` are. */
  readonly indexers?: (parts: Parts, context: Context<C, N, L, S>) => readonly Indexer[];
  /** Pages of the web interface (`page`), claimed as `routes` are. */
  readonly pages?: (parts: Parts, context: Context<C, N, L, S>) => readonly WebPage[];
  readonly events?: (parts: Parts, context: Context<C, N, L, S>) => readonly Subscription<EventType>[];
  readonly jobs?: (parts: Parts, context: Context<C, N, L, S>) => readonly Job[];
  readonly probes?: (parts: Parts, context: Context<C, N, L, S>) => readonly Probe[];
  /** Runs after everything is built, in the order of needs. Limited in time. */
  readonly start?: (parts: Parts, context: Context<C, N, L, S>) => Promise<void>;
  /** Runs in reverse order, limited in time, and works after a half-finished start. */
  readonly stop?: (parts: Parts, context: Context<C, N, L, S>) => Promise<void>;
}

/** A definition whose types have done their work. */
export type PluginDefinition = Readonly<
  Omit<PluginSpec<unknown, PortName, LateName, unknown, never>, 'config' | 'stores'>
> & {
  readonly config?: Joi.ObjectSchema;
  readonly stores?: Readonly<
    Record<string, { readonly sql: (db: SqlDatabase) => unknown; readonly memory: (db: MemoryDatabase) => unknown }>
  >;
};

/**
 * Defines a plugin. What a builder may use follows from `needs`, `late`, `config` and `stores`.
 *
 * @example
 *   export default definePlugin({
 *     name: 'bell',
 *     version: '1.0.0',
 *     api: '^0.2.0',
 *     needs: ['Clock'],
 *     config: shape({ tower: word().description('Where it hangs') }),
 *     build: ({ config, Clock }) => ({ ring: () => `${config.tower} at ${Clock.now().toISOString()}` }),
 *     start: async ({ ring }, { log }) => log.info({}, ring()),
 *   });
 */
export function definePlugin<
  C = Record<never, never>,
  const N extends PortName = never,
  const L extends LateName = never,
  S = Record<never, never>,
  Parts = undefined,
>(spec: PluginSpec<C, N, L, S, Parts>): PluginDefinition {
  return { ...spec, [copyMark]: thisCopy } as unknown as PluginDefinition;
}

/**
 * The copy of this module that a plugin was defined with. A bundler may put one into the plugin, whose classes of
 * errors and answers are not those of the host.
 */
export interface Copy {
  readonly api: string;
}

const copyMark = Symbol.for('hexforge.copy');
/** The mark of the copy of this module that runs. */
export const thisCopy: Copy = { api: PLUGIN_API_VERSION };

/** What was read of a definition, as one that was defined with the same copy. */
export const definedAs = (given: object, read: PluginDefinition): PluginDefinition => {
  const copy: unknown = Reflect.get(given, copyMark);
  return copy === undefined ? read : Object.assign(read, { [copyMark]: copy });
};

/** Undefined for a plain object. */
export const copyOf = (definition: PluginDefinition): Copy | undefined =>
  Reflect.get(definition, copyMark) as Copy | undefined;
