// The value of HEXFORGE_PLUGINS that disables standard plugins.
import { standardPlugins } from '#config/standard';

/** Names of the standard plugins that are enabled by default, in order. */
export const enabledPlugins: readonly string[] = standardPlugins.flatMap(({ name, enabled }) => (enabled ? name : []));

/** Disables all of them except these. */
export const nothingBut = (...names: readonly string[]): string =>
  enabledPlugins.flatMap((name) => (names.includes(name) ? [] : `-${name}`)).join(',');
