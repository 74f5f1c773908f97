// Finds the definitions of a text: parses it with a grammar, and runs the grammar's query on the tree.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Language, Parser, Query, type Node, type Tree } from 'web-tree-sitter';
import { isPairAt } from '#core/kernel/characters';
import { symbolKinds, type SymbolDefinition, type SymbolKind } from '#core/search/model/symbol';
import { grammars } from './grammars.ts';
import { limits } from './messages.ts';

/** The grammar cannot be loaded, whatever the text. */
export class MissingGrammar extends Error {}

/** The text was not parsed within its time. */
export class LateText extends Error {}

const page = 64 * 1024;
/** Of the runtime, which has no smaller size. */
const initialPages = 512;
/** Matches in progress. A query that needs more leaves out some definitions. */
const matchLimit = 4096;

/** A shorter text cannot have a tree that is too wide. In UTF-16 code units. */
const narrow = 64 * 1024;
/** Tokens without a named node between them. A query looks at all of them from each one. */
const widest = 4000;

interface Loaded {
  readonly language: Language;
  readonly query: Query;
}

/** Reads one text at a time. After another error than those above it must not be used again. */
export class Extraction {
  readonly #parser: Parser;
  readonly #memory: WebAssembly.Memory;
  readonly #loaded = new Map<string, Promise<Loaded>>();

  private constructor(parser: Parser, memory: WebAssembly.Memory) {
    this.#parser = parser;
    this.#memory = memory;
  }

  static async start(): Promise<Extraction> {
    const memory = new WebAssembly.Memory({ initial: initialPages, maximum: limits.memory / page });
    // A failure is thrown, and logged by the server; the runtime would also print it.
    await Parser.init({ wasmMemory: memory, printErr: () => undefined });
    return new Extraction(new Parser(), memory);
  }

  /** In bytes. */
  get memory(): number {
    return this.#memory.buffer.byteLength;
  }

  /**
   * @throws {MissingGrammar}
   * @throws {LateText}
   */
  async definitions(grammar: string, raw: string): Promise<readonly SymbolDefinition[]> {
    // Grammars take NUL for the end of the text.
    const text = raw.toWellFormed().replaceAll('\0', ' ');
    const loading = this.#loaded.get(grammar) ?? loaded(grammar);
    this.#loaded.set(grammar, loading);
    const { language, query } = await loading;
    const isLate = deadline(limits.parsing);
    this.#parser.setLanguage(language);
    const tree = this.#parser.parse(text, null, { progressCallback: isLate });
    if (tree === null) {
      // Otherwise the next text would continue this one.
      this.#parser.reset();
      throw new LateText(`The text took longer than ${String(limits.parsing)} ms`);
    }
    try {
      if (text.length > narrow && isWide(tree, isLate)) throw new LateText('The tree is too wide for a query');
      return found(tree, query, text, isLate);
    } finally {
      tree.delete();
    }
  }
}

async function loaded(grammar: string): Promise<Loaded> {
  try {
    const { file, queries } = grammars[grammar] ?? { file: new URL(import.meta.url), queries: [] };
    const language = await Language.load(await readFile(file));
    const source = queries.map((name) => readFileSync(new URL(`queries/${name}.scm`, import.meta.url), 'utf8'));
    return { language, query: new Query(language, source.join('\n')) };
  } catch (error) {
    throw new MissingGrammar(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Whether so much time of the processor has passed. The clock is cheaper to read, and cannot be behind. */
function deadline(ms: number): () => boolean {
  const end = performance.now() + ms;
  const { user, system } = process.threadCpuUsage();
  return () => {
    if (performance.now() < end) return false;
    const now = process.threadCpuUsage({ user, system });
    return now.user + now.system >= ms * 1000;
  };
}

/** Whether a query takes quadratic time, without looking at its clock meanwhile. Such code is not meant for people. */
function isWide(tree: Tree, isLate: () => boolean): boolean {
  const cursor = tree.walk();
  try {
    let run = 0;
    for (let visited = 1; run <= widest; visited += 1) {
      run = cursor.nodeIsNamed ? 0 : run + 1;
      if (visited % 4096 === 0 && isLate()) throw new LateText('The tree is too large');
      if (cursor.gotoFirstChild()) {
        run = 0;
        continue;
      }
      while (!cursor.gotoNextSibling()) {
        run = 0;
        if (!cursor.gotoParent()) return false;
      }
    }
    return true;
  } finally {
    cursor.delete();
  }
}

function found(tree: Tree, query: Query, text: string, isLate: () => boolean): readonly SymbolDefinition[] {
  /** By offset of the name: the earliest pattern counts. */
  const names = new Map<number, { readonly pattern: number; readonly node: Node; readonly kind: string }>();
  let wasLate = false;
  const matches = query.matches(tree.rootNode, { matchLimit, progressCallback: () => (wasLate ||= isLate()) });
  if (wasLate) throw new LateText(`The query took longer than ${String(limits.parsing)} ms`);
  for (const { captures, patternIndex: pattern } of matches)
    for (const { name: kind, node } of captures) {
      const known = names.get(node.startIndex);
      if (!kind.startsWith('_') && (known === undefined || pattern < known.pattern))
        names.set(node.startIndex, { pattern, node, kind });
    }
  const definitions: SymbolDefinition[] = [];
  for (const [, { node, kind }] of [...names].sort(([one], [other]) => one - other)) {
    if (definitions.length === limits.definitions) break;
    const name = nameOf(text.slice(node.startIndex, node.endIndex));
    if (name !== undefined && isKind(kind))
      definitions.push({ name, kind, line: node.startPosition.row + 1, signature: signatureOf(node, text) });
  }
  return definitions;
}

const isKind = (name: string): name is SymbolKind => (symbolKinds as readonly string[]).includes(name);

/** Undefined if nobody would look for it: names of missing nodes are empty, and those of wrong code have any length. */
function nameOf(text: string): string | undefined {
  // Ruby writes a symbol with a colon before it.
  const name = text.startsWith(':') ? text.slice(1) : text;
  const isUsual = name !== '' && name !== '_' && name.length <= limits.name && !/[\p{Cc}\u{fffd}]/u.test(name);
  return isUsual ? name : undefined;
}

/** The line of a name. Of a long line, such as one of minified code, the part from the name on. */
function signatureOf(node: Node, text: string): string {
  const { startIndex } = node;
  const { column } = node.startPosition;
  const before = column <= 2 * limits.signature ? text.slice(startIndex - column, startIndex).trimStart() : '';
  const from = before.length + node.endIndex - startIndex <= limits.signature ? before : '';
  const [rest = ''] = text.slice(startIndex, startIndex + limits.signature + 1).split('\n', 1);
  const whole = `${from}${rest}`.trimEnd();
  return whole.slice(0, isPairAt(whole, limits.signature - 1) ? limits.signature - 1 : limits.signature).trimEnd();
}
