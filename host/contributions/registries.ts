// The registries of contributed tools, indexers and pages. They leave out those of plugins that have failed.
import type { Contributions } from '../plugin/contributions.ts';
import type { IndexerRegistry } from '../plugin/indexers.ts';
import type { Life } from '../plugin/life.ts';
import type { PageRegistry, Registered } from '../plugin/pages.ts';
import type { Mount } from '../plugin/plan.ts';
import { registeredTool, type RegisteredTool, type Tool, type ToolRegistry } from '../plugin/tools.ts';
import { mountedPage, pagePath } from './mounting.ts';

/** The contributions of one kind from every usable plugin, each as `entryOf` registers it. */
const registered = <K extends keyof Contributions, T>(
  lives: readonly Life[],
  kind: K,
  entryOf: (one: Contributions[K][number], plugin: string) => T,
): readonly T[] =>
  lives
    .filter(({ usable }) => usable)
    .flatMap(({ name, made }) => (made?.[kind] ?? []).map((one: Contributions[K][number]) => entryOf(one, name)));

export function livingTools(lives: readonly Life[]): ToolRegistry {
  const known = new WeakMap<Tool, RegisteredTool>();
  const entryOf = (tool: Tool, plugin: string): RegisteredTool => {
    const entry = known.get(tool) ?? registeredTool(tool, plugin);
    known.set(tool, entry);
    return entry;
  };
  return { tools: () => registered(lives, 'tools', entryOf) };
}

export const livingIndexers = (lives: readonly Life[]): IndexerRegistry => ({
  indexers: () => registered(lives, 'indexers', (indexer, plugin) => ({ plugin, indexer })),
});

export function livingPages(lives: readonly Life[], mountOf: (plugin: string) => Mount): PageRegistry {
  const all = <K extends 'pages' | 'tabs' | 'menu' | 'cards' | 'panels'>(
    kind: K,
    mounted: (one: Contributions[K][number], plugin: string) => Contributions[K][number] = (one) => one,
  ): readonly Registered<Contributions[K][number]>[] =>
    registered(lives, kind, (one, plugin) => ({ plugin, one: mounted(one, plugin) }));
  return {
    pages: () => all('pages', (page, plugin) => mountedPage(plugin, page, mountOf(plugin))),
    tabs: () =>
      all('tabs', (tab, plugin) => {
        const whole = (path: string): string => pagePath(plugin, { ...tab, path }, mountOf(plugin));
        return {
          ...tab,
          path: whole(tab.path),
          ...(tab.currentOn !== undefined && { currentOn: tab.currentOn.map(whole) }),
        };
      }),
    menu: () => all('menu'),
    cards: () => all('cards'),
    panels: () => all('panels'),
  };
}
