// Sorts plugins topologically for building and starting: each after its dependencies, otherwise in the order of the
// configuration. Pure.
import type { PluginDefinition } from './definition.ts';

export type Ordered =
  | { readonly sorted: readonly PluginDefinition[]; readonly cycle?: never }
  /** Each plugin needs the next one, and the last needs the first. */
  | { readonly cycle: readonly PluginDefinition[]; readonly sorted?: never };

export function order(
  enabled: readonly PluginDefinition[],
  dependenciesOf: (definition: PluginDefinition) => readonly PluginDefinition[],
): Ordered {
  const sorted: PluginDefinition[] = [];
  const placed = new Set<PluginDefinition>();
  const path: PluginDefinition[] = [];
  /** Depth first: the dependencies of a plugin are placed directly before it, so the others keep their order. */
  const place = (definition: PluginDefinition): readonly PluginDefinition[] | undefined => {
    if (placed.has(definition)) return undefined;
    const open = path.indexOf(definition);
    if (open >= 0) return path.slice(open);
    path.push(definition);
    for (const dependency of dependenciesOf(definition)) {
      const cycle = place(dependency);
      if (cycle !== undefined) return cycle;
    }
    path.pop();
    placed.add(definition);
    sorted.push(definition);
    return undefined;
  };
  for (const definition of enabled) {
    const cycle = place(definition);
    if (cycle !== undefined) return { cycle };
  }
  return { sorted };
}
