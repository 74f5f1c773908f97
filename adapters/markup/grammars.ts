// The grammars of highlight.js that are loaded on demand, and their other names.
import type { LanguageFn } from 'highlight.js';

interface Grammar {
  readonly load: () => Promise<{ readonly default: LanguageFn }>;
  /** Names of languages and of blocks in Markdown. */
  readonly also?: string;
  /** Grammars of embedded parts. */
  readonly with?: string;
}

export const grammars: Readonly<Record<string, Grammar>> = {
  bash: { load: () => import('highlight.js/lib/languages/bash'), also: 'sh shell zsh fish' },
  c: { load: () => import('highlight.js/lib/languages/c'), also: 'h' },
  clojure: { load: () => import('highlight.js/lib/languages/clojure'), also: 'clj' },
  cmake: { load: () => import('highlight.js/lib/languages/cmake') },
  cpp: { load: () => import('highlight.js/lib/languages/cpp'), also: 'c++ cc' },
  csharp: { load: () => import('highlight.js/lib/languages/csharp'), also: 'cs c#' },
  css: { load: () => import('highlight.js/lib/languages/css') },
  d: { load: () => import('highlight.js/lib/languages/d') },
  dart: { load: () => import('highlight.js/lib/languages/dart') },
  delphi: { load: () => import('highlight.js/lib/languages/delphi'), also: 'pascal' },
  diff: { load: () => import('highlight.js/lib/languages/diff'), also: 'patch' },
  dockerfile: { load: () => import('highlight.js/lib/languages/dockerfile'), also: 'docker', with: 'bash' },
  dos: { load: () => import('highlight.js/lib/languages/dos'), also: 'batch bat cmd' },
  elixir: { load: () => import('highlight.js/lib/languages/elixir'), also: 'ex' },
  erlang: { load: () => import('highlight.js/lib/languages/erlang'), also: 'erl' },
  fsharp: { load: () => import('highlight.js/lib/languages/fsharp'), also: 'f#' },
  go: { load: () => import('highlight.js/lib/languages/go'), also: 'golang' },
  gradle: { load: () => import('highlight.js/lib/languages/gradle') },
  graphql: { load: () => import('highlight.js/lib/languages/graphql'), also: 'gql' },
  groovy: { load: () => import('highlight.js/lib/languages/groovy') },
  haskell: { load: () => import('highlight.js/lib/languages/haskell'), also: 'hs' },
  ini: { load: () => import('highlight.js/lib/languages/ini'), also: 'toml' },
  java: { load: () => import('highlight.js/lib/languages/java') },
  javascript: { load: () => import('highlight.js/lib/languages/javascript'), also: 'js jsx mjs cjs' },
  json: { load: () => import('highlight.js/lib/languages/json'), also: 'jsonc json5' },
  julia: { load: () => import('highlight.js/lib/languages/julia'), also: 'jl' },
  kotlin: { load: () => import('highlight.js/lib/languages/kotlin'), also: 'kt' },
  latex: { load: () => import('highlight.js/lib/languages/latex'), also: 'tex' },
  less: { load: () => import('highlight.js/lib/languages/less') },
  lisp: { load: () => import('highlight.js/lib/languages/lisp'), also: 'elisp' },
  lua: { load: () => import('highlight.js/lib/languages/lua') },
  makefile: { load: () => import('highlight.js/lib/languages/makefile'), also: 'make' },
  markdown: { load: () => import('highlight.js/lib/languages/markdown'), also: 'md', with: 'xml' },
  nginx: { load: () => import('highlight.js/lib/languages/nginx') },
  nim: { load: () => import('highlight.js/lib/languages/nim') },
  nix: { load: () => import('highlight.js/lib/languages/nix') },
  objectivec: { load: () => import('highlight.js/lib/languages/objectivec'), also: 'objective-c objc' },
  ocaml: { load: () => import('highlight.js/lib/languages/ocaml'), also: 'ml' },
  perl: { load: () => import('highlight.js/lib/languages/perl'), also: 'pl' },
  php: { load: () => import('highlight.js/lib/languages/php'), with: 'xml' },
  powershell: { load: () => import('highlight.js/lib/languages/powershell'), also: 'ps1' },
  protobuf: { load: () => import('highlight.js/lib/languages/protobuf'), also: 'proto' },
  python: { load: () => import('highlight.js/lib/languages/python'), also: 'py' },
  r: { load: () => import('highlight.js/lib/languages/r') },
  ruby: { load: () => import('highlight.js/lib/languages/ruby'), also: 'rb' },
  rust: { load: () => import('highlight.js/lib/languages/rust'), also: 'rs' },
  scala: { load: () => import('highlight.js/lib/languages/scala') },
  scss: { load: () => import('highlight.js/lib/languages/scss') },
  sql: { load: () => import('highlight.js/lib/languages/sql') },
  swift: { load: () => import('highlight.js/lib/languages/swift') },
  typescript: { load: () => import('highlight.js/lib/languages/typescript'), also: 'ts tsx mts cts' },
  verilog: { load: () => import('highlight.js/lib/languages/verilog') },
  vhdl: { load: () => import('highlight.js/lib/languages/vhdl') },
  x86asm: { load: () => import('highlight.js/lib/languages/x86asm'), also: 'assembly asm' },
  xml: { load: () => import('highlight.js/lib/languages/xml'), also: 'html svg vue svelte', with: 'css javascript' },
  yaml: { load: () => import('highlight.js/lib/languages/yaml'), also: 'yml' },
};

const words = (text = ''): readonly string[] => text.split(' ').filter((word) => word !== '');

const byName: ReadonlyMap<string, string> = new Map(
  Object.entries(grammars).flatMap(([name, { also }]) => [name, ...words(also)].map((other) => [other, name])),
);

/** The grammar of a language; undefined for an unknown one. */
export const grammarOf = (language: string): string | undefined => byName.get(language.toLowerCase());

/** The grammars that one needs besides itself. */
export const embeddedIn = (grammar: string): readonly string[] => words(grammars[grammar]?.with);
