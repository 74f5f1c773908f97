// Parses the emitted declarations of the package: the exports of each entry with their doc comments, and the
// declarations that they refer to.
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** One statement of a declaration file. */
export interface Declaration {
  readonly name: string;
  /** The path relative to the folder of the package. */
  readonly file: string;
  /** The emitted text, with the doc comments inside it but without the one before it. */
  readonly text: string;
  /** The doc comment before it, without its stars; empty if there is no comment. */
  readonly doc: string;
}

export interface Export {
  /** The name by which authors import it. */
  readonly name: string;
  /** Undefined if another package declares it, such as `joi: default`. */
  readonly declaration: Declaration | undefined;
  readonly origin: string;
}

export interface Entry {
  /** The specifier, such as `hexforge/plugin`. */
  readonly name: string;
  readonly exports: readonly Export[];
}

interface Reference {
  readonly from: string;
  readonly name: string;
}

interface Module {
  readonly declared: Map<string, Declaration>;
  /** Exported name to its declaration, in this file (`from: ''`) or another. */
  readonly exported: Map<string, Reference>;
  readonly stars: string[];
  readonly imported: Map<string, Reference>;
  /** Every module that the file imports, re-exports or augments. */
  readonly names: string[];
  readonly augmentations: { readonly target: string; readonly body: string }[];
}

const comments = /\/\*[\s\S]*?\*\//g;
const importType = /\bimport\("([^"]+)"\)\.([\w$]+)/g;
const identifier = /(?<![\w$.'"])[A-Za-z_$][\w$]*/g;
const comment = /\/\*[\s\S]*?\*\//y;
const quoted = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/y;
const ofBlock = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|module|namespace|global)\b/;
const named =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:interface|class|type|const|let|function|enum) ([\w$]+)/;

/** The statements of a declaration file, each with the comment before it. */
function statements(source: string): { readonly doc: string; readonly text: string }[] {
  const found: { doc: string; text: string }[] = [];
  let doc = '';
  let start = 0;
  let depth = 0;
  const skip = (pattern: RegExp, at: number): number => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0].length ?? 0;
  };
  const end = (at: number): void => {
    const text = source.slice(start, at).trim();
    if (text !== '') found.push({ doc, text });
    doc = '';
    start = at;
  };
  for (let at = 0; at < source.length; at++) {
    const char = source[at] ?? '';
    const between = depth === 0 && source.slice(start, at).trim() === '';
    if (char === '/' && source[at + 1] === '*') {
      const length = skip(comment, at);
      if (between) {
        doc = source.slice(at, at + length);
        start = at + length;
      }
      at += length - 1;
    } else if (char === '/' && source[at + 1] === '/') {
      const stop = source.indexOf('\n', at);
      at = stop === -1 ? source.length : stop;
      if (between) start = at;
    } else if (char === "'" || char === '"' || char === '`') at += skip(quoted, at) - 1;
    else if ('{[('.includes(char)) depth++;
    else if ('}])'.includes(char)) {
      depth--;
      if (char === '}' && depth === 0 && ofBlock.test(source.slice(start, at).trim())) end(at + 1);
    } else if (char === ';' && depth === 0) end(at + 1);
  }
  return found;
}

const plain = (doc: string): string =>
  doc
    .replace(/^\/\*\*?/, '')
    .replace(/\*\/$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim();

/** Parses an import or export list: `a as b, type c` becomes [['a', 'b'], ['c', 'c']]. */
const pairs = (list: string): [string, string][] =>
  list
    .split(',')
    .map((item) => item.trim().replace(/^type /, ''))
    .filter((item) => item !== '')
    .map((item) => {
      const [name = '', as = name] = item.split(' as ');
      return [name, as];
    });

export class Declarations {
  readonly #folder: string;
  readonly #modules = new Map<string, Module>();
  readonly #imports: readonly (readonly [alias: string, path: string])[];
  readonly #entries: readonly (readonly [name: string, file: string])[];

  /**
   * @param folder The emitted declarations, laid out like the sources.
   * @param manifest The package's own `imports` and `exports`.
   */
  constructor(
    folder: string,
    manifest: {
      readonly imports: Readonly<Record<string, string>>;
      readonly exports: Readonly<Record<string, string>>;
    },
  ) {
    this.#folder = folder;
    this.#imports = Object.entries(manifest.imports).map(([alias, path]) => [
      alias.slice(0, -1),
      path.split('*')[0] ?? '',
    ]);
    this.#entries = Object.entries(manifest.exports).map(([name, path]) => [
      name.replace(/^\./, 'hexforge'),
      path.replace(/^\.\//, '').replace(/\.ts$/, '.d.ts'),
    ]);
  }

  entries(): readonly Entry[] {
    return this.#entries.map(([name, file]) => ({ name, exports: this.#exportsOf(file) }));
  }

  /** The declarations of the package that are not exported, but that the exports refer to, directly or indirectly. */
  behind(exports: readonly Export[]): readonly Declaration[] {
    const seen = new Set(exports.flatMap(({ declaration }) => declaration ?? []));
    const found: Declaration[] = [];
    for (const declaration of seen) {
      const text = declaration.text.replaceAll(comments, '');
      const used = [
        ...[...text.matchAll(importType)].map(([, from = '', name = '']) =>
          this.#resolve(declaration.file, { from, name }),
        ),
        ...[...text.matchAll(identifier)].map(([name]) => this.#local(declaration.file, name)),
      ].flatMap((one) => one.declaration ?? []);
      for (const one of used) {
        if (seen.has(one)) continue;
        seen.add(one);
        found.push(one);
      }
    }
    return found;
  }

  /** The members of each open interface, added by the modules that the entries load. */
  words(entries: readonly string[]): ReadonlyMap<string, readonly string[]> {
    const files = new Set(this.#entries.filter(([name]) => entries.includes(name)).map(([, file]) => file));
    const words = new Map<string, string[]>();
    for (const file of files) {
      for (const specifier of this.#module(file).names) {
        const other = this.#fileOf(file, specifier);
        if (other !== undefined) files.add(other);
      }
      for (const { target, body } of this.#module(file).augmentations) {
        if (this.#fileOf(file, target) === undefined) continue;
        for (const { text } of statements(body)) {
          const [, name = ''] = /interface (\w+)/.exec(text) ?? [];
          const members = statements(text.slice(text.indexOf('{') + 1, -1)).map((member) => stripped(member.text));
          words.set(name, [...(words.get(name) ?? []), ...members].sort());
        }
      }
    }
    return new Map([...words].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #module(file: string): Module {
    const known = this.#modules.get(file);
    if (known !== undefined) return known;
    const module: Module = {
      declared: new Map(),
      exported: new Map(),
      stars: [],
      imported: new Map(),
      names: [],
      augmentations: [],
    };
    this.#modules.set(file, module);
    for (const { doc, text } of statements(readFileSync(join(this.#folder, file), 'utf8')))
      read(module, file, plain(doc), text);
    return module;
  }

  #exportsOf(file: string, seen = new Set<string>()): readonly Export[] {
    if (seen.has(file)) return [];
    seen.add(file);
    const { exported, stars } = this.#module(file);
    const own = [...exported].map(([name, reference]) => ({ ...this.#resolve(file, reference), name }));
    const others = stars.flatMap((specifier) => {
      const other = this.#fileOf(file, specifier);
      return other === undefined ? [] : this.#exportsOf(other, seen);
    });
    const byName = new Map([...others, ...own].map((one) => [one.name, one]));
    return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #resolve(file: string, { from, name }: Reference): Export {
    if (from === '') return this.#local(file, name);
    const other = this.#fileOf(file, from);
    if (other === undefined) return { name, declaration: undefined, origin: `${from}: ${name}` };
    const found = this.#exportsOf(other).find((one) => one.name === name);
    return found ?? { name, declaration: undefined, origin: `${from}: ${name}` };
  }

  #local(file: string, name: string): Export {
    const { declared, imported } = this.#module(file);
    const declaration = declared.get(name);
    if (declaration !== undefined) return { name, declaration, origin: file };
    const reference = imported.get(name);
    return reference === undefined ? { name, declaration: undefined, origin: file } : this.#resolve(file, reference);
  }

  /** The file of a specifier; undefined for another package. */
  #fileOf(file: string, specifier: string): string | undefined {
    const entry = this.#entries.find(([name]) => name === specifier);
    if (entry !== undefined) return entry[1];
    const alias = this.#imports.find(([prefix]) => specifier.startsWith(prefix));
    const path =
      alias !== undefined
        ? join(alias[1], specifier.slice(alias[0].length))
        : specifier.startsWith('.')
          ? relative('.', join(dirname(file), specifier)).replace(/\.(ts|js)$/, '')
          : undefined;
    return path === undefined ? undefined : `${path}.d.ts`;
  }
}

function read(module: Module, file: string, doc: string, text: string): void {
  const [, specifier] = /(?:from|^import|^declare module) ["']([^"']+)["']/.exec(text) ?? [];
  if (specifier !== undefined) module.names.push(specifier);
  const from = specifier ?? '';
  const [, list] = /^(?:import|export) (?:type )?(?:[\w$]+, )?\{([\s\S]*)\}/.exec(text) ?? [];
  if (text.startsWith('declare module')) {
    module.augmentations.push({ target: from, body: text.slice(text.indexOf('{') + 1, -1) });
  } else if (text.startsWith('import ')) {
    for (const [name, as] of pairs(list ?? '')) module.imported.set(as, { from, name });
    const [, whole] = /^import (?:type )?([\w$]+)(?:,| from)/.exec(text) ?? [];
    if (whole !== undefined) module.imported.set(whole, { from, name: 'default' });
  } else if (text.startsWith('export *')) module.stars.push(from);
  else if (list !== undefined && /^export (?:type )?\{/.test(text)) {
    for (const [name, as] of pairs(list)) module.exported.set(as, { from, name });
  } else {
    const name = text.startsWith('export default') ? 'default' : (named.exec(text)?.[1] ?? '');
    if (name === '') throw new Error(`${file} has a statement of an unknown kind: ${text.slice(0, 80)}`);
    const before = module.declared.get(name);
    // An overloaded function has one declaration per signature.
    const whole = before === undefined ? text : `${before.text}\n${text}`;
    module.declared.set(name, { name, file, text: whole, doc: before?.doc === undefined ? doc : before.doc });
    if (text.startsWith('export ')) module.exported.set(name, { from: '', name });
  }
}

/** A declaration without comments, empty lines, module names and `export` or `declare`. */
export const stripped = (text: string): string =>
  text
    .replaceAll(comments, '')
    .replaceAll(importType, '$2')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n')
    .replace(/^(?:export )?(?:default )?(?:declare )?/, '');

const codes = (text: string): readonly string[] =>
  [...text.matchAll(/@example[^\n]*\n([\s\S]*?)(?=\n\s*@\w|$)/g)].map(([, code = '']) => code.replace(/\s+$/, ''));

/** The code of each `@example` in the doc comments of a declaration. */
export const examplesOf = ({ doc, text }: Declaration): readonly string[] => [
  ...codes(doc),
  ...[...text.matchAll(comments)].flatMap(([inside]) => codes(plain(inside))),
];
