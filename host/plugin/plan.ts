// The dependency plan: which plugins provide and need each port, from the definitions and the operator's choices. Pure.
// It imports the plugin API, which declares the kernel's ports.
import { declaredPorts, type PortName, type PortTraits } from '#core/kernel/index';
import type { PluginDefinition } from './definition.ts';

/**
 * The place of a plugin's routes. `anywhere`: at their own paths, for standard plugins and those permitted to. `own`:
 * under `/x/<plugin>/`.
 */
export type Mount = 'anywhere' | 'own';

/** The source of a plugin: `standard`, `package NAME`, `path FILE`, or `given` as a definition by the caller. */
export type Origin = 'standard' | 'given' | `package ${string}` | `path ${string}`;

/** A plugin of the configuration, enabled or not. */
export interface ListedPlugin {
  readonly name: string;
  readonly enabled: boolean;
  readonly origin: Origin;
  /** The file of a loaded external plugin. */
  readonly file: string | undefined;
}

export interface Plan {
  /** In the order of the configuration. */
  readonly enabled: readonly PluginDefinition[];
  /** Standard plugins that are not enabled, loaded only if an error message may name them. */
  readonly disabled: readonly PluginDefinition[];
  /** Every plugin of the configuration, in its order; absent if a test only passes definitions. */
  readonly listed?: readonly ListedPlugin[];
  /** Port to the chosen plugin, for ports that several plugins could provide. */
  readonly providers: Readonly<Record<string, string>>;
  /** The member `settings` of the configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The plugin's own keys under `plugins.<name>`, not yet validated. */
  readonly configOf: (plugin: string) => Readonly<Record<string, unknown>>;
  /** The environment variable that has set a key of the plugin; undefined if the value comes from the file. */
  readonly setBy?: (plugin: string, key: string) => string | undefined;
  readonly mountOf: (plugin: string) => Mount;
  /** Whether the plugin is external, which means it is not in the list of standard plugins. */
  readonly isOutside: (plugin: string) => boolean;
}

const ofTheHost = {
  Clock: 'fixed',
  Ids: 'fixed',
  CurrentCaller: 'fixed',
  UnitOfWork: 'fixed',
  Events: 'fixed',
  PendingEvents: 'fixed',
  Intents: 'fixed',
  Locks: 'fixed',
  AccessDecision: 'fixed',
  Bot: 'fixed',
  Authenticator: 'fixed',
  PasswordDirectories: 'fixed',
  ScopeCatalogue: 'fixed',
  PermissionTable: 'fixed',
  SettingCatalogue: 'fixed',
  RepositorySettingCatalogue: 'fixed',
  ToolRegistry: 'fixed',
  IndexerRegistry: 'fixed',
  PageRegistry: 'fixed',
  Sealer: 'replaceable',
  Settings: 'replaceable',
  PluginInventory: 'fixed',
  RateCounter: 'replaceable',
} as const satisfies { readonly [P in PortName]?: 'fixed' | 'replaceable' };
export type HostPort = keyof typeof ofTheHost;
/** Ports that the host provides, and whether a plugin may replace the provider. */
export const hostPorts: Readonly<Record<string, 'fixed' | 'replaceable'>> = ofTheHost;

/** Names of the disabled plugins. Configuration of these never prevents a start. */
export const offIn = ({ disabled, listed = [] }: Plan): ReadonlySet<string> =>
  new Set([...disabled.map(({ name }) => name), ...listed.filter(({ enabled }) => !enabled).map(({ name }) => name)]);

/** The file of an external plugin as ` (FILE)`, for messages. */
export const fileIn = ({ listed = [] }: Plan, plugin: string): string => {
  const file = listed.find(({ name }) => name === plugin)?.file;
  return file === undefined ? '' : ` (${file})`;
};

export const traitsOf = (port: string): PortTraits | undefined => declaredPorts().get(port);
/** The port `Bot` of the host uses the accounts, so a plugin that needs it starts after the plugin that stores them. */
export const needsOf = ({ needs = [] }: PluginDefinition): readonly string[] =>
  needs.includes('Bot') ? [...needs, 'BotAccounts'] : needs;
export const portsOf = (definition: PluginDefinition): readonly string[] => Object.keys(definition.provides ?? {});
export const isCritical = (definition: PluginDefinition): boolean =>
  portsOf(definition).some((port) => traitsOf(port)?.critical === true);

export interface Provision {
  /**
   * The provider of the port, after the operator's choice; for a plural port all of them, in the order of the
   * configuration.
   */
  readonly providersOf: (port: string) => readonly PluginDefinition[];
  /** Every enabled plugin that provides the port. */
  readonly candidatesOf: (port: string) => readonly PluginDefinition[];
  /** The plugins that must be built before this one. Late needs do not count. */
  readonly dependenciesOf: (definition: PluginDefinition) => readonly PluginDefinition[];
}

export function provision(enabled: readonly PluginDefinition[], choices: Readonly<Record<string, string>>): Provision {
  const candidates = new Map<string, PluginDefinition[]>();
  for (const definition of enabled) {
    for (const port of portsOf(definition)) candidates.set(port, [...(candidates.get(port) ?? []), definition]);
  }
  const candidatesOf = (port: string): readonly PluginDefinition[] => candidates.get(port) ?? [];
  const providersOf = (port: string): readonly PluginDefinition[] => {
    const all = candidatesOf(port);
    if (traitsOf(port)?.arity === 'plural' || all.length < 2) return all;
    return all.filter(({ name }) => name === choices[port]);
  };
  const dependenciesOf = (definition: PluginDefinition): readonly PluginDefinition[] => [
    ...new Set(needsOf(definition).flatMap(providersOf)),
  ];
  return { providersOf, candidatesOf, dependenciesOf };
}
