// What HEXFORGE_PLUGINS says to switch standard plugins off, whichever there are.
import { standardPlugins } from '#config/standard';

/** Names of the standard plugins that run where nothing is said, in their order. */
export const enabledPlugins: readonly string[] = standardPlugins.flatMap(({ name, enabled }) => (enabled ? name : []));

/** Switches off all of them but these. */
export const nothingBut = (...names: readonly string[]): string =>
  enabledPlugins.flatMap((name) => (names.includes(name) ? [] : `-${name}`)).join(',');
