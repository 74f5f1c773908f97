// The dependency plan: which plugin provides and which needs each port, from the definitions and the choices. Pure.
// Through the face: importing it declares the kernel's own ports.
import { declaredPorts, type PortTraits } from '#core/kernel/index';
import type { PluginDefinition } from './definition.ts';

/** Where a plugin's routes may live: standard plugins and granted ones anywhere, the others under `/x/<plugin>/`. */
export type Mount = 'anywhere' | 'own';

/** Where a plugin comes from: `standard`, `package NAME`, `path FILE`, or `given` beside the configuration. */
export type Origin = 'standard' | 'given' | `package ${string}` | `path ${string}`;

/** A plugin that the configuration lists, enabled or not. */
export interface ListedPlugin {
  readonly name: string;
  readonly enabled: boolean;
  readonly origin: Origin;
  /** The file of one from outside, where it was loaded. */
  readonly file: string | undefined;
}

export interface Plan {
  /** In the order of the configuration. */
  readonly enabled: readonly PluginDefinition[];
  /** Standard plugins that are not enabled, where a remedy may have to name them. */
  readonly disabled: readonly PluginDefinition[];
  /** Every plugin of the configuration, in its order; absent where a test lists definitions alone. */
  readonly listed?: readonly ListedPlugin[];
  /** Port → plugin, where several could provide it. */
  readonly providers: Readonly<Record<string, string>>;
  /** `settings:` of the configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The plugin's own keys under `plugins.<name>`, not yet checked. */
  readonly configOf: (plugin: string) => Readonly<Record<string, unknown>>;
  readonly mountOf: (plugin: string) => Mount;
  /** Whether it is a third party's: not in the list of standard plugins. */
  readonly isOutside: (plugin: string) => boolean;
}

/** Ports the host provides itself, and whether a plugin may take the place of its provider. */
export const hostPorts: Readonly<Record<string, 'fixed' | 'replaceable'>> = {
  Clock: 'fixed',
  Ids: 'fixed',
  CurrentCaller: 'fixed',
  UnitOfWork: 'fixed',
  Events: 'fixed',
  Intents: 'fixed',
  Locks: 'fixed',
  AccessDecision: 'fixed',
  Authenticator: 'fixed',
  PasswordDirectories: 'fixed',
  ScopeCatalogue: 'fixed',
  PermissionTable: 'fixed',
  SettingCatalogue: 'fixed',
  ToolRegistry: 'fixed',
  IndexerRegistry: 'fixed',
  PageRegistry: 'fixed',
  Sealer: 'replaceable',
  Settings: 'replaceable',
  PluginInventory: 'fixed',
  RateCounter: 'replaceable',
};

/** Names of the plugins that are switched off: what the configuration says of them refuses no start. */
export const offIn = ({ disabled, listed = [] }: Plan): ReadonlySet<string> =>
  new Set([...disabled.map(({ name }) => name), ...listed.filter(({ enabled }) => !enabled).map(({ name }) => name)]);

/** ` (FILE)` of a plugin from outside, for sentences. */
export const fileIn = ({ listed = [] }: Plan, plugin: string): string => {
  const file = listed.find(({ name }) => name === plugin)?.file;
  return file === undefined ? '' : ` (${file})`;
};

export const traitsOf = (port: string): PortTraits | undefined => declaredPorts().get(port);
export const needsOf = (definition: PluginDefinition): readonly string[] => definition.needs ?? [];
export const portsOf = (definition: PluginDefinition): readonly string[] => Object.keys(definition.provides ?? {});
export const isCritical = (definition: PluginDefinition): boolean =>
  portsOf(definition).some((port) => traitsOf(port)?.critical === true);

export interface Provision {
  /**
   * Who provides the port, after the operator's choice; for a plural port all of them, in the order of the
   * configuration.
   */
  readonly providersOf: (port: string) => readonly PluginDefinition[];
  /** Every enabled plugin that could. */
  readonly candidatesOf: (port: string) => readonly PluginDefinition[];
  /** Those that must be built before this one: late needs take no part. */
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
