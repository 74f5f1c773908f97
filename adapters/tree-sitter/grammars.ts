// The grammars: the WebAssembly file of each, and the queries that find its definitions.

interface Grammar {
  readonly file: URL;
  /** Names of files in `queries/`, whose patterns apply in this order. */
  readonly queries: readonly string[];
}

const packaged = (name: string): URL =>
  new URL(`wasm/tree-sitter-${name}.wasm`, import.meta.resolve('@vscode/tree-sitter-wasm/package.json'));
const own = (name: string): URL => new URL(`grammars/tree-sitter-${name}.wasm`, import.meta.url);

export const grammars: Readonly<Record<string, Grammar>> = {
  c: { file: own('c'), queries: ['c'] },
  cpp: { file: packaged('cpp'), queries: ['cpp', 'c'] },
  csharp: { file: packaged('c-sharp'), queries: ['csharp'] },
  go: { file: packaged('go'), queries: ['go'] },
  java: { file: packaged('java'), queries: ['java'] },
  javascript: { file: packaged('javascript'), queries: ['javascript', 'javascript-fields'] },
  kotlin: { file: own('kotlin'), queries: ['kotlin'] },
  php: { file: packaged('php'), queries: ['php'] },
  python: { file: packaged('python'), queries: ['python'] },
  ruby: { file: packaged('ruby'), queries: ['ruby'] },
  rust: { file: packaged('rust'), queries: ['rust'] },
  tsx: { file: packaged('tsx'), queries: ['javascript', 'typescript'] },
  typescript: { file: packaged('typescript'), queries: ['javascript', 'typescript'] },
};

/** Headers have the language C by their name. A line that only C++ has makes one C++. */
const onlyCpp = /^[ \t]*(?:(?:class|namespace|using)[ \t]+\w|template[ \t]*<|(?:public|protected|private)[ \t]*:)/m;

/** The name of a grammar; undefined for a language without one. */
export function grammarOf(language: string, path: string, text: string): string | undefined {
  if (language === 'jsx') return 'javascript';
  if (language === 'c' && path.endsWith('.h') && onlyCpp.test(text)) return 'cpp';
  return Object.hasOwn(grammars, language) ? language : undefined;
}
