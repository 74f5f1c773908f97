// Computes a value from the plugins that have not failed, and computes it again when another plugin fails.
import type { PluginDefinition } from '../plugin/definition.ts';
import type { Life } from '../plugin/life.ts';

export function living<T>(lives: readonly Life[], make: (definitions: readonly PluginDefinition[]) => T): () => T {
  let known: { readonly count: number; readonly made: T } | undefined;
  return () => {
    // Called several times per request, so it counts without building a list.
    let count = 0;
    for (const { lost } of lives) if (!lost) count += 1;
    if (known?.count !== count) {
      const standing = lives.filter(({ lost }) => !lost);
      known = { count, made: make(standing.map(({ definition }) => definition)) };
    }
    return known.made;
  };
}
