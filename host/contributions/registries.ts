// The registries of contributed tools, indexers and pages. They leave out those of plugins that have failed.
import type { Contributions } from '../plugin/contributions.ts';
import type { IndexerRegistry } from '../plugin/indexers.ts';
import type { Life } from '../plugin/life.ts';
import type { PageRegistry } from '../plugin/pages.ts';
import type { Mount } from '../plugin/plan.ts';
import type { ToolRegistry } from '../plugin/tools.ts';
import { pagePath } from './mounting.ts';

/** The contributions of one kind from every usable plugin, each as `entryOf` registers it. */
const registered = <K extends keyof Contributions, T>(
  lives: readonly Life[],
  kind: K,
  entryOf: (one: Contributions[K][number], plugin: string) => T,
): readonly T[] =>
  lives
    .filter(({ usable }) => usable)
    .flatMap(({ name, made }) => (made?.[kind] ?? []).map((one: Contributions[K][number]) => entryOf(one, name)));

export const livingTools = (lives: readonly Life[]): ToolRegistry => ({
  tools: () =>
    registered(lives, 'tools', (tool, plugin) => ({ plugin, tool: { ...tool, family: tool.family ?? plugin } })),
});

export const livingIndexers = (lives: readonly Life[]): IndexerRegistry => ({
  indexers: () => registered(lives, 'indexers', (indexer, plugin) => ({ plugin, indexer })),
});

export const livingPages = (lives: readonly Life[], mountOf: (plugin: string) => Mount): PageRegistry => ({
  pages: () =>
    registered(lives, 'pages', (page, plugin) => ({
      plugin,
      page: { ...page, path: pagePath(plugin, page.path, mountOf(plugin)) },
    })),
});
