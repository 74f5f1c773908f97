// Computes a value from the plugins that have not failed, and computes it again when another plugin fails.
import type { PluginDefinition } from '../plugin/definition.ts';
import type { Life } from '../plugin/life.ts';

export function living<T>(lives: readonly Life[], make: (definitions: readonly PluginDefinition[]) => T): () => T {
  let known: { readonly made: T } | undefined;
  for (const life of lives) life.onLost(() => (known = undefined));
  return () => {
    known ??= { made: make(lives.filter(({ lost }) => !lost).map(({ definition }) => definition)) };
    return known.made;
  };
}
