// A definition in source code, as the index of symbols stores it.

/** The kinds of definitions, by the names that editors use (Language Server Protocol, `SymbolKind`). */
export const symbolKinds = [
  'class',
  'constant',
  'constructor',
  'enum',
  'enum_member',
  'field',
  'function',
  'interface',
  'macro',
  'method',
  'module',
  'namespace',
  'property',
  'struct',
  'trait',
  'type',
  'variable',
] as const;
/** The kind of a definition. */
export type SymbolKind = (typeof symbolKinds)[number];

/** The definition of a symbol in a file. */
export interface SymbolDefinition {
  readonly name: string;
  readonly kind: SymbolKind;
  /** 1-based. */
  readonly line: number;
  /** The first line of the definition, without white space at its ends; at most 200 characters. */
  readonly signature: string;
}
