// The language of a file, told from its name alone.

const byExtension: Readonly<Record<string, string>> = {
  ts: 'typescript', mts: 'typescript', cts: 'typescript', tsx: 'tsx', js: 'javascript', mjs: 'javascript', cjs: 'javascript', jsx: 'jsx',
  json: 'json', jsonc: 'json', yaml: 'yaml', yml: 'yaml', toml: 'toml', ini: 'ini', xml: 'xml', svg: 'xml', html: 'html', htm: 'html',
  css: 'css', scss: 'scss', less: 'less', vue: 'vue', svelte: 'svelte', md: 'markdown', markdown: 'markdown', rst: 'restructuredtext', tex: 'latex',
  c: 'c', h: 'c', cc: 'cpp', cpp: 'cpp', cxx: 'cpp', hh: 'cpp', hpp: 'cpp', cs: 'csharp', fs: 'fsharp', java: 'java', kt: 'kotlin', kts: 'kotlin',
  scala: 'scala', groovy: 'groovy', gradle: 'groovy', swift: 'swift', m: 'objective-c', mm: 'objective-c', go: 'go', rs: 'rust', zig: 'zig',
  py: 'python', pyi: 'python', rb: 'ruby', php: 'php', pl: 'perl', pm: 'perl', lua: 'lua', r: 'r', jl: 'julia', dart: 'dart', ex: 'elixir', exs: 'elixir',
  erl: 'erlang', hs: 'haskell', ml: 'ocaml', mli: 'ocaml', clj: 'clojure', cljs: 'clojure', lisp: 'lisp', el: 'lisp', nim: 'nim', d: 'd', pas: 'pascal',
  sh: 'shell', bash: 'shell', zsh: 'shell', fish: 'fish', ps1: 'powershell', bat: 'batch', cmd: 'batch', sql: 'sql', graphql: 'graphql', gql: 'graphql',
  proto: 'protobuf', tf: 'terraform', hcl: 'hcl', nix: 'nix', cmake: 'cmake', asm: 'assembly', s: 'assembly', v: 'verilog', vhd: 'vhdl', sol: 'solidity',
  diff: 'diff', patch: 'diff', csv: 'csv', txt: 'text',
};

const byName: Readonly<Record<string, string>> = {
  dockerfile: 'dockerfile', containerfile: 'dockerfile', makefile: 'makefile', gnumakefile: 'makefile', 'cmakelists.txt': 'cmake',
  rakefile: 'ruby', gemfile: 'ruby', jenkinsfile: 'groovy', 'go.mod': 'go', '.bashrc': 'shell', '.profile': 'shell', '.gitconfig': 'ini', '.editorconfig': 'ini',
};

/** Lower case, such as `typescript`; '' where the name says nothing. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const dot = name.lastIndexOf('.');
  return own(byName, name) ?? (dot < 0 ? undefined : own(byExtension, name.slice(dot + 1))) ?? '';
}

const own = (table: Readonly<Record<string, string>>, key: string): string | undefined => Object.hasOwn(table, key) ? table[key] : undefined;
