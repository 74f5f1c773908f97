// Loads plugins: imports the module of each with a time limit, and explains failures.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ChosenPlugin } from '#host/configuration/configuration';
import { TookTooLong, within } from '../problems/deadline.ts';
import type { PluginDefinition } from '../plugin/definition.ts';
import { entryFailure, loadFailure } from './load-failures.ts';
import type { Problem } from '../problems/problem.ts';
import { importFrom, type Resolution } from './resolution.ts';
import { firstLine, readable } from '../problems/thrown.ts';

export interface Loaded {
  readonly definition?: PluginDefinition;
  /** The file of an external plugin, if it was found. */
  readonly file?: string;
  readonly problem?: Problem;
}

/** A problem without the name of its plugin. */
export type Failure = Pick<Problem, 'code' | 'message' | 'remedy'>;

/**
 * Imports the plugins. External ones are imported one after the other, so that side effects of loading (its duration, a
 * port that is declared again) are attributed to the right plugin.
 * @param milliseconds The time limit of one module.
 */
export async function loadPlugins(
  plugins: readonly ChosenPlugin[],
  milliseconds: number,
): Promise<ReadonlyMap<string, Loaded>> {
  const loaded = new Map(
    await Promise.all(
      plugins
        .filter(({ standard }) => standard)
        .map(async (plugin) => [plugin.name, await loadStandard(plugin)] as const),
    ),
  );
  for (const plugin of plugins.filter(({ standard }) => !standard))
    loaded.set(plugin.name, await loadOutside(plugin, milliseconds));
  return loaded;
}

/** Loads a standard plugin, by the `imports` of this package. */
async function loadStandard({ name, module }: ChosenPlugin): Promise<Loaded> {
  try {
    const { default: definition }: { readonly default?: unknown } = await import(module);
    if (isDefinition(definition)) return { definition };
    throw new Error('it has no definition');
  } catch (error) {
    const reason = firstLine(readable(error).message);
    return {
      problem: {
        code: 'plugin_threw',
        plugin: name,
        message: `Plugin "${name}" cannot be loaded: ${reason}`,
        remedy: `Reinstall Hexforge, or disable it with HEXFORGE_PLUGINS=-${name}`,
      },
    };
  }
}

async function loadOutside(plugin: ChosenPlugin, milliseconds: number): Promise<Loaded> {
  const resolution: Resolution = { entry: undefined, found: new Set() };
  const outcome = await imported(plugin, milliseconds, resolution);
  const file = resolution.entry === undefined ? undefined : pathOf(resolution.entry);
  const found = file === undefined ? {} : { file };
  return 'definition' in outcome
    ? { ...found, definition: outcome.definition }
    : { ...found, problem: { ...outcome, plugin: plugin.name } };
}

async function imported(
  plugin: ChosenPlugin,
  milliseconds: number,
  resolution: Resolution,
): Promise<{ readonly definition: PluginDefinition } | Failure> {
  const { name } = plugin;
  try {
    const module = await within(milliseconds, 'it', () => importPlugin(plugin, resolution));
    return judged(name, pathOf(resolution.entry ?? ''), module);
  } catch (thrown) {
    const error = readable(thrown);
    if (resolution.entry === undefined) return entryFailure(plugin, error);
    const file = pathOf(resolution.entry);
    if (error instanceof TookTooLong)
      return {
        code: 'plugin_load_timeout',
        message: `Plugin "${name}" (${file}) was not loaded within ${milliseconds / 1000} s: an \`await\` at the top level of its modules does not end`,
        remedy: `Mend it, raise load_timeout, or disable the plugin with HEXFORGE_PLUGINS=-${name}`,
      };
    return loadFailure({ name, file, found: [...resolution.found].map(pathOf) }, error);
  }
}

/** Imports a path directly, and a package from beside the configuration or else from beside Hexforge. */
async function importPlugin({ module, resolveFrom }: ChosenPlugin, resolution: Resolution): Promise<object> {
  const specifier = module.startsWith('/') ? pathToFileURL(module).href : module;
  try {
    return await importFrom(specifier, pathToFileURL(join(resolveFrom, 'hexforge.yaml')).href, resolution);
  } catch (error) {
    if (resolution.entry !== undefined || module.startsWith('/')) throw error;
    return await importFrom(specifier, import.meta.url, resolution).catch((again: unknown) => {
      throw resolution.entry === undefined ? error : again;
    });
  }
}

const pathOf = (url: string): string => (url.startsWith('file:') ? fileURLToPath(url) : url);

const isDefinition = (value: unknown): value is PluginDefinition =>
  typeof value === 'object' && value !== null && lacking(value).length === 0;

const lacking = (value: object): readonly string[] =>
  ['name', 'version', 'api'].filter((key) => typeof Reflect.get(value, key) !== 'string');

/** Checks that a module exports the plugin that the configuration names. */
function judged(
  name: string,
  file: string,
  module: { readonly default?: unknown },
): { readonly definition: PluginDefinition } | Failure {
  // Reads the members once; if a getter throws, the plugin cannot be loaded. Inherited members are ignored.
  const definition: unknown = { ...(module.default as object) };
  if (!isDefinition(definition))
    return {
      code: 'not_a_plugin',
      message: `Plugin "${name}" (${file}) is not a plugin: ${exported(module)}`,
      remedy: 'Export the result of definePlugin as default',
    };
  if (definition.name !== name)
    return {
      code: 'wrong_plugin',
      message: `The module configured as "${name}" (${file}) defines the plugin "${firstLine(definition.name)}"`,
      remedy: `Name it "${firstLine(definition.name)}" in the configuration`,
    };
  return { definition };
}

/** Describes a default export that is not a plugin. */
function exported(module: { readonly default?: unknown }): string {
  if (!('default' in module)) {
    const names = Object.keys(module);
    return `its module has no default export${names.length === 0 ? '' : `, only ${names.map((name) => `"${name}"`).join(', ')}`}`;
  }
  const value = module.default;
  const it = 'the default export of its module is';
  if (typeof value === 'string') return `${it} a text`;
  if (typeof value === 'function')
    return `${it} a function${['', 'default'].includes(value.name) ? '' : ` ("${value.name}")`}`;
  if (Array.isArray(value)) return `${it} an array`;
  if (value instanceof Promise) return `${it} a promise`;
  if (typeof value !== 'object' || value === null) return `${it} ${String(value)}`;
  return `${it} an object without ${lacking({ ...value })
    .map((key) => `\`${key}\``)
    .join(' and ')} as text`;
}
