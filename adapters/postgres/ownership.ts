// Whose a table, function or type of the database is: recorded by name, else told by the plugin's name it starts with.

/** The name under which the forge's own tables go, and their migrations are recorded. */
export const system = 'hexforge';

/** What the tables, functions and types of a plugin start with. */
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

  /** @param tables table or view → plugin, as declared or recorded; what is not among them goes by its name. */
  constructor(plugins: Iterable<string>, tables: ReadonlyMap<string, string>) {
    this.#plugins = [...new Set(plugins)].sort((a, b) => b.length - a.length);
    this.#tables = tables;
  }

  /** The plugin, or undefined where it is nobody's here. */
  ownerOf(name: string): string | undefined {
    return this.#tables.get(name) ?? this.#plugins.find((plugin) => startsWithNameOf(plugin, name));
  }
}
