// Determines which plugin owns a table, function or type: by the recorded name, otherwise by the plugin's name as
// prefix.

/** The name under which the forge's own tables and migrations are recorded. */
export const system = 'hexforge';

/** The prefix of a plugin's tables, functions and types. */
export const tablePrefix = (plugin: string): string => plugin.replaceAll('-', '_');

/** `bell` owns `bell` and `bell_ring`, not `bells`. */
export function startsWithNameOf(plugin: string, name: string): boolean {
  const prefix = tablePrefix(plugin);
  return name === prefix || name.startsWith(`${prefix}_`);
}

export class Ownership {
  /** Longest name first: `bell_tower_step` belongs to `bell-tower`, not to `bell`. */
  readonly #plugins: readonly string[];
  readonly #tables: ReadonlyMap<string, string>;

  /** @param tables table or view → plugin, as declared or recorded; other objects are assigned by their prefix. */
  constructor(plugins: Iterable<string>, tables: ReadonlyMap<string, string>) {
    this.#plugins = [...new Set(plugins)].sort((a, b) => b.length - a.length);
    this.#tables = tables;
  }

  /** The owning plugin, or undefined if no known plugin owns it. */
  ownerOf(name: string): string | undefined {
    return this.#tables.get(name) ?? this.#plugins.find((plugin) => startsWithNameOf(plugin, name));
  }
}
