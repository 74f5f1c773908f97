// Loads the plugins of docs/examples that are separate packages, as the forge does: with its own `hexforge/…`.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PluginDefinition } from '#host/plugin/definition';
import { importFrom } from '#host/loading/resolution';

const folder = join(import.meta.dirname, '../../docs/examples');

export async function example(name: string): Promise<PluginDefinition> {
  const file = pathToFileURL(join(folder, name, 'plugin.ts')).href;
  const loaded = await importFrom(file, import.meta.url, { entry: undefined, found: new Set() });
  return (loaded as { readonly default: PluginDefinition }).default;
}
