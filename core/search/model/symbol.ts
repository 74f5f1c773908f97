// Definitions of symbols in source files, and the port that reads them.

/**
 * Names as in the Language Server Protocol (`SymbolKind`) where it has one, in lower case. Those that differ between
 * languages share one kind:
 *
 * - `class`: also records and Kotlin's objects. `struct`: also unions. `interface`: also annotation types.
 * - `module`: namespaces and modules. Package clauses of Go, Java and Kotlin are left out, because every file has one.
 * - `method`: also constructors, destructors and accessors. `field`: also properties.
 * - `constant`: also enum members. `type`: aliases, typedefs, delegates and concepts.
 */
export const symbolKinds = [
  'class',
  'constant',
  'enum',
  'field',
  'function',
  'interface',
  'macro',
  'method',
  'module',
  'struct',
  'trait',
  'type',
  'variable',
] as const;

/** The kind of a definition: one of `symbolKinds`. */
export type SymbolKind = (typeof symbolKinds)[number];

/** Kinds whose names are often those of other things. Their definitions do not raise the rank of a file. */
export const commonKinds: readonly SymbolKind[] = ['field', 'variable'];

/** One definition in a source file. */
export interface SymbolDefinition {
  readonly name: string;
  readonly kind: SymbolKind;
  /** 1-based; the line of the name. */
  readonly line: number;
  /** The definition's first line, trimmed, at most 200 characters. */
  readonly signature: string;
}

/** A source file whose definitions are read. */
export interface SourceText {
  /** As returned by `languageOf`. */
  readonly language: string;
  readonly path: string;
  readonly text: string;
}

/** Reads definitions from source files. */
export interface SymbolReader {
  /** Whether definitions can be read from files of this language. */
  reads(language: string): boolean;
  /**
   * Returns the definitions of one file in order of lines; [] for a language without grammar, and for a file that is
   * too large, too slow, or made its grammar fail.
   *
   * @throws {Unavailable} if too many files wait, or the reader is stopped or cannot start; not because of a text.
   */
  read(file: SourceText, signal?: AbortSignal): Promise<readonly SymbolDefinition[]>;
  /** The number of files, by language, that made the reader end its worker, since the start. */
  readonly restarts: Readonly<Record<string, number>>;
}
