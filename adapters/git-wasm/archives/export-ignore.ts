// Files that archives leave out: those with the attribute `export-ignore` in a `.gitattributes` file of the commit
// (gitattributes(5)).

/** Bytes of one file, lines that count, and characters of a pattern. The rest is ignored. */
const [longestFile, mostRules, longestPattern] = [64 * 1024, 200, 255];
const attribute = 'export-ignore';

interface Rule {
  readonly pattern: string;
  /** Whether the pattern is matched with the last name of a path alone. */
  readonly isName: boolean;
  /** Whether it matches folders alone. */
  readonly isFolder: boolean;
  readonly isIgnored: boolean;
}

/** The rules of one folder, and those of the folders above. */
export class ExportIgnore {
  readonly #rules: readonly Rule[];
  readonly #above: ExportIgnore | undefined;
  /** With a slash at its end, or empty. */
  readonly #folder: string;
  readonly #macros: ReadonlyMap<string, boolean>;

  /** @param text of the `.gitattributes` in the folder; empty for a folder without one. */
  constructor(text: Buffer, folder: string, above: ExportIgnore | undefined) {
    this.#folder = folder;
    this.#above = above;
    const macros = new Map<string, boolean>(above?.macros ?? [[attribute, true]]);
    const rules: Rule[] = [];
    for (const line of text.toString('latin1', 0, longestFile).split('\n')) {
      const [pattern, rest] = parts(line.trim());
      if (pattern === '' || pattern.startsWith('#') || pattern.length > longestPattern) continue;
      const states = rest.split(/[ \t]+/).flatMap((each) => stateOf(each, macros) ?? []);
      const isIgnored = states.at(-1);
      const macro = pattern.startsWith('[attr]') && above === undefined ? pattern.slice('[attr]'.length) : undefined;
      if (macro !== undefined) {
        if (isIgnored !== undefined) macros.set(macro, isIgnored);
      } else if (isIgnored !== undefined && rules.length < mostRules) rules.push(ruleOf(pattern, isIgnored));
    }
    this.#rules = rules;
    this.#macros = macros;
  }

  get macros(): ReadonlyMap<string, boolean> {
    return this.#macros;
  }

  /** @param path bytes as latin1, from the root, without a slash at its end. */
  isIgnored(path: string, isFolder: boolean): boolean {
    return this.stateOf(path, isFolder) ?? false;
  }

  /** The last matching rule decides; rules of deeper folders are preferred. */
  stateOf(path: string, isFolder: boolean): boolean | undefined {
    const below = path.slice(this.#folder.length);
    const name = path.slice(path.lastIndexOf('/') + 1);
    const rule = this.#rules.findLast(
      (each) => (isFolder || !each.isFolder) && matches(each.pattern, each.isName ? name : below),
    );
    return rule?.isIgnored ?? this.#above?.stateOf(path, isFolder);
  }
}

function ruleOf(text: string, isIgnored: boolean): Rule {
  const isFolder = text.endsWith('/');
  const pattern = isFolder ? text.slice(0, -1) : text;
  return { pattern: pattern.replace(/^\//, ''), isName: !pattern.includes('/'), isFolder, isIgnored };
}

/** The pattern, which may be quoted, and the attributes after it. */
function parts(line: string): readonly [pattern: string, rest: string] {
  if (line.startsWith('"')) {
    const end = line.search(/[^\\]"/) + 1;
    return end > 0 ? [unquoted(line.slice(1, end)), line.slice(end + 1).trim()] : ['', ''];
  }
  const end = line.search(/[ \t]/);
  return end < 0 ? [line, ''] : [line.slice(0, end), line.slice(end + 1).trim()];
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\u0007', b: '\b', f: '\f', v: '\v' };
const unquoted = (text: string): string =>
  text.replaceAll(/\\([0-7]{3}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (escapes[code] ?? code),
  );

/** The value of the attribute by this part of a line; undefined if it is about another attribute. */
function stateOf(word: string, macros: ReadonlyMap<string, boolean>): boolean | undefined {
  const isOff = word.startsWith('-') || word.startsWith('!');
  const isOn = macros.get(isOff ? word.slice(1) : word);
  return isOn === undefined ? undefined : isOn && !isOff;
}

/** Whether a pattern of gitignore(5) matches a whole text. Takes at most the product of both lengths. */
function matches(pattern: string, text: string): boolean {
  if (!/[*?[\\]/.test(pattern)) return pattern === text;
  const seen = new Set<number>();
  const open: (readonly [p: number, t: number])[] = [[0, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [p, t] = next;
    const key = p * (text.length + 1) + t;
    if (seen.has(key)) continue;
    seen.add(key);
    if (p === pattern.length) {
      if (t === text.length) return true;
    } else if (pattern.startsWith('**/', p) && (p === 0 || pattern[p - 1] === '/')) {
      open.push([p + 3, t]);
      const slash = text.indexOf('/', t);
      if (slash >= 0) open.push([p, slash + 1]);
    } else if (pattern.startsWith('**', p)) {
      open.push([p + 2, t]);
      if (t < text.length) open.push([p, t + 1]);
    } else if (pattern[p] === '*') {
      open.push([p + 1, t]);
      if (t < text.length && text[t] !== '/') open.push([p, t + 1]);
    } else if (t < text.length) {
      const end = one(pattern, p, text.charAt(t));
      if (end > 0) open.push([end, t + 1]);
    }
  }
  return false;
}

/** The end of a part of a pattern that matches one character; 0 if it does not match. */
function one(pattern: string, at: number, character: string): number {
  const own = pattern[at];
  if (own === '?') return character === '/' ? 0 : at + 1;
  if (own === '\\') return pattern[at + 1] === character ? at + 2 : 0;
  const end = own === '[' ? pattern.indexOf(']', at + 2) : -1;
  if (end < 0) return own === character ? at + 1 : 0;
  const isNegated = pattern[at + 1] === '!' || pattern[at + 1] === '^';
  const set = pattern.slice(at + (isNegated ? 2 : 1), end);
  let isIn = false;
  for (let index = 0; index < set.length; index += 1) {
    const [low = '', dash, high = ''] = set.slice(index, index + 3);
    if (dash === '-' && high !== '') {
      isIn ||= low <= character && character <= high;
      index += 2;
    } else isIn ||= low === character;
  }
  return character !== '/' && isIn !== isNegated ? end + 1 : 0;
}
