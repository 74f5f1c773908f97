// What is made of the plugins that are not lost, made anew when one is.
import type { PluginDefinition } from '../definition.ts';
import type { Life } from '../life.ts';

export function living<T>(lives: readonly Life[], make: (definitions: readonly PluginDefinition[]) => T): () => T {
  let known: { readonly count: number; readonly made: T } | undefined;
  return () => {
    const standing = lives.filter(({ lost }) => !lost);
    if (known?.count !== standing.length)
      known = { count: standing.length, made: make(standing.map(({ definition }) => definition)) };
    return known.made;
  };
}
