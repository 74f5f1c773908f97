// The plugin definition: plain data and builders, typed so that a builder receives exactly what the plugin declared.
import type Joi from 'joi';
import type { LiveChannel } from '#adapters/http/live/channel';
import type { Route } from '#adapters/http/descriptor/route';
import type { MemoryDatabase } from '#adapters/memory/database';
import type { Migration, SqlDatabase } from '#adapters/postgres/statements/database';
import type { EventType, Subscription } from '#core/kernel/storage/events';
import type { AuditAction } from '#core/kernel/services/audit';
import type { Log } from '#core/kernel/services/log';
import type { PermissionDeclaration } from '#core/kernel/access/permissions';
import type { OptionalPorts, PluralPorts, PortContract, PortName, PortValue } from '#core/kernel/ports';
import type { ScopeRow } from '#core/kernel/access/scopes';
import type { RepositorySettingSpec } from '#core/kernel/services/repository-settings';
import type { SettingKey, SettingSpec } from '#core/kernel/services/settings';
import type { Indexer } from './indexers.ts';
import type { DashboardCard, MenuEntry, RepositoryTab, SidePanel, WebPage } from './pages.ts';
import type { Tool } from './tools.ts';

export type { PermissionDeclaration };

/**
 * The version of the plugin API, which is independent of the version of the forge. A plugin's `api` is a semver range
 * on it.
 */
export const PLUGIN_API_VERSION = '0.2.0';

/**
 * Work repeated on a timer. If several processes share a database, one of them runs it. The next run starts
 * `everySeconds` after the last one ended.
 */
export interface Job {
  readonly name: string;
  readonly everySeconds: number;
  run(signal: AbortSignal): Promise<void>;
}

/** A health check, shown in `/readyz` and in the health snapshot. */
export interface Probe {
  readonly name: string;
  /** Resolves to undefined if healthy, otherwise to a sentence with the problem. */
  check(): Promise<string | undefined>;
  /** Figures for `details` in `/readyz`, which is public, such as the length of a queue. */
  details?(): Promise<Readonly<Record<string, string | number | boolean>>>;
}

/** Paths and URLs of the instance, for the few adapters that use the disk or render URLs. */
export interface Instance {
  /** The base URL of the instance, without a trailing slash. */
  readonly baseUrl: string;
  readonly webUrl: string;
  /** An absolute path. */
  readonly dataDir: string;
  readonly version: string;
  /**
   * Prints one line to standard output, for something that the operator must see once, such as a generated password.
   * Never logged.
   */
  announce(line: string): void;
}

/** The name of a port that can be a late need: an optional or a plural one. */
export type LateName = keyof OptionalPorts | keyof PluralPorts;

/** The argument of every builder: the needed ports by name, the configuration, the stores and a log. */
export type Context<C, N extends PortName, L extends LateName, S> = { readonly [K in N]: PortValue<K> } & {
  readonly config: C;
  readonly stores: S;
  readonly log: Log;
  readonly instance: Instance;
  /** Needs that do not affect the order of start. Reading one before the host has started throws. */
  readonly late: { readonly [K in L]: PortValue<K> };
};

/** The argument of `definePlugin`. */
export interface PluginSpec<C, N extends PortName, L extends LateName, S, Parts> {
  /** Lower-case words joined by hyphens. Table names start with it, with underscores instead of hyphens. */
  readonly name: string;
  readonly version: string;
  /** A semver range on the version of the plugin API. */
  readonly api: string;
  /**
   * `isolate`: if the plugin fails, the others keep running. Rejected for a plugin that provides a security-critical
   * port. Default `fail`.
   */
  readonly onFailure?: 'fail' | 'isolate';
  /**
   * Validates the plugin's part of the configuration, `plugins.<name>`, and applies defaults. Each key has a
   * `.description()` with its unit. A secret key has `.meta({ secret: true })` and is masked when the configuration is
   * shown.
   */
  readonly config?: Joi.ObjectSchema<C>;
  /** Environment variable to configuration key: `{ LDAP_URL: 'url' }`. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly needs?: readonly N[];
  readonly late?: readonly L[];
  readonly stores?: {
    readonly [K in keyof S]: { readonly sql: (db: SqlDatabase) => S[K]; readonly memory: (db: MemoryDatabase) => S[K] };
  };
  /** Builds the plugin's use cases, once, after its needs are built. Must not open connections; `start` does. */
  readonly build?: (context: Context<C, N, L, S>) => Parts | Promise<Parts>;
  readonly provides?: { readonly [K in PortName]?: (parts: Parts, context: Context<C, N, L, S>) => PortContract<K> };
  /** The plugin's own settings. It may read these and the settings in `reads`. */
  readonly settings?: readonly SettingSpec[];
  /** The plugin's own settings of repositories, which it reads with `RepositorySettings`. */
  readonly repositorySettings?: readonly RepositorySettingSpec[];
  /** Keys of other plugins' settings that it reads, such as `['signup.enabled']`. Reading an undeclared one throws. */
  readonly reads?: readonly SettingKey[];
  /**
   * Types of the events that it emits, such as `['bell.rung']`. Those of an external plugin are named
   * `<plugin>.<name>`. Emitting an undeclared type throws.
   */
  readonly emits?: readonly EventType[];
  /**
   * Actions of the audit entries that it appends, such as `['bell.sold']`. Those of an external plugin are named
   * `<plugin>.<name>`. Appending an entry with an undeclared action throws.
   */
  readonly audits?: readonly AuditAction[];
  /** Hosts that it connects to, such as `['hooks.example.com']`. Shown to the operator, not enforced. */
  readonly outbound?: readonly string[];
  readonly scopes?: readonly ScopeRow[];
  readonly permissions?: readonly PermissionDeclaration[];
  /** Entities (`defineEntity`) of the SQL stores. */
  readonly entities?: readonly object[];
  /** Tables and views that exist after the last migration. The host compares this list with the database. */
  readonly tables?: readonly string[];
  /**
   * Published tables and views of needed plugins that this plugin's foreign keys or joins refer to. The host compares
   * this list with the foreign keys and views in the database.
   */
  readonly references?: readonly string[];
  readonly migrations?: readonly Migration[];
  /**
   * Makes the route descriptors. The host also calls it before the plugin is built, to check them. The configuration is
   * real then; everything else is a placeholder that can be destructured and passed on, and throws when used.
   */
  readonly routes?: (parts: Parts, context: Context<C, N, L, S>) => readonly Route[];
  /** Channels of live updates (`channel`), checked before the build like `routes`. */
  readonly channels?: (parts: Parts, context: Context<C, N, L, S>) => readonly LiveChannel[];
  /** MCP tools (`tool`), checked before the build like `routes`. */
  readonly tools?: (parts: Parts, context: Context<C, N, L, S>) => readonly Tool[];
  /** Indexers of the plugin's data for search (`indexer`), checked before the build like `routes`. */
  readonly indexers?: (parts: Parts, context: Context<C, N, L, S>) => readonly Indexer[];
  /** Pages of the web interface (`page`), checked before the build like `routes`. */
  readonly pages?: (parts: Parts, context: Context<C, N, L, S>) => readonly WebPage[];
  /** Tabs of repositories, menu entries, cards of the dashboard and panels of side columns, checked like `routes`. */
  readonly tabs?: (parts: Parts, context: Context<C, N, L, S>) => readonly RepositoryTab[];
  readonly menu?: (parts: Parts, context: Context<C, N, L, S>) => readonly MenuEntry[];
  readonly cards?: (parts: Parts, context: Context<C, N, L, S>) => readonly DashboardCard[];
  readonly panels?: (parts: Parts, context: Context<C, N, L, S>) => readonly SidePanel[];
  readonly events?: (parts: Parts, context: Context<C, N, L, S>) => readonly Subscription<EventType>[];
  readonly jobs?: (parts: Parts, context: Context<C, N, L, S>) => readonly Job[];
  readonly probes?: (parts: Parts, context: Context<C, N, L, S>) => readonly Probe[];
  /**
   * Checks the machine for `hexforge check`, such as whether a program is installed. It has a time limit and changes
   * nothing. Each problem is one sentence, and one with the action for the operator.
   */
  readonly preflight?: (config: C) => Promise<readonly { readonly message: string; readonly remedy: string }[]>;
  /** Called after all plugins are built, in the order of dependencies, with a time limit. */
  readonly start?: (parts: Parts, context: Context<C, N, L, S>) => Promise<void>;
  /** Called in reverse order, with a time limit. Must also work after a partial start. */
  readonly stop?: (parts: Parts, context: Context<C, N, L, S>) => Promise<void>;
}

/** A plugin definition without its type parameters, which only matter to `definePlugin`. */
export type PluginDefinition = Readonly<
  Omit<PluginSpec<unknown, PortName, LateName, unknown, never>, 'config' | 'stores'>
> & {
  readonly config?: Joi.ObjectSchema;
  readonly stores?: Readonly<
    Record<string, { readonly sql: (db: SqlDatabase) => unknown; readonly memory: (db: MemoryDatabase) => unknown }>
  >;
};

/**
 * Defines a plugin. The members of a builder's context follow from `needs`, `late`, `config` and `stores`.
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
 * Identifies the copy of this module that a plugin was defined with. A bundler may include a second copy in the plugin,
 * whose classes of errors and replies differ from the host's.
 */
export interface Copy {
  readonly api: string;
}

const copyMark = Symbol.for('hexforge.copy');
/** The mark of the host's copy of this module. */
export const thisCopy: Copy = { api: PLUGIN_API_VERSION };

/** Copies the mark of the given definition to the one that was read from it. */
export const definedAs = (given: object, read: PluginDefinition): PluginDefinition => {
  const copy: unknown = Reflect.get(given, copyMark);
  return copy === undefined ? read : Object.assign(read, { [copyMark]: copy });
};

/** The mark of a definition; undefined for a plain object. */
export const copyOf = (definition: PluginDefinition): Copy | undefined =>
  Reflect.get(definition, copyMark) as Copy | undefined;
