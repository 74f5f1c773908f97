// Splits TypeScript source into tokens, so that imports and globals are found in code and never in comments or strings.

export interface Token {
  readonly kind: 'word' | 'string' | 'expression' | 'punctuation';
  /**
   * The value of a string without its quotes; of a template, only if it has no substitution. A regular expression with
   * its slashes and flags.
   */
  readonly text: string;
  readonly line: number;
}

/** Strings and regular expressions, whose text is not code. */
const isText = (token: Token | undefined): boolean => token?.kind === 'string' || token?.kind === 'expression';

export interface Import {
  /** Undefined if it is computed at run time. */
  readonly specifier: string | undefined;
  readonly line: number;
}

const wordStart = /[\p{L}_$#@]/u;
const wordPart = /[\p{L}\p{N}_$]/u;
/** After these words a slash starts a regular expression. */
const beforeExpression = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'do',
  'else',
  'void',
  'delete',
  'instanceof',
  'new',
  'throw',
  'yield',
  'await',
]);

export function tokens(source: string): Token[] {
  const found: Token[] = [];
  /** Open braces; `true` marks one that was opened by `${` in a template. */
  const braces: boolean[] = [];
  let at = 0;
  let line = 1;

  const push = (kind: Token['kind'], text: string, startLine = line): void => {
    found.push({ kind, text, line: startLine });
  };

  const skipTo = (end: number): void => {
    for (; at < end && at < source.length; at++) if (source[at] === '\n') line++;
  };

  const opensRegex = (): boolean => {
    const previous = found.at(-1);
    if (previous === undefined) return true;
    if (previous.kind === 'word') return beforeExpression.has(previous.text);
    return previous.kind === 'punctuation' && ![')', ']', '}'].includes(previous.text);
  };

  const regex = (): void => {
    const start = at;
    let inClass = false;
    for (at++; at < source.length && (inClass || source[at] !== '/') && source[at] !== '\n'; at++) {
      if (source[at] === '\\') at++;
      else if (source[at] === '[') inClass = true;
      else if (source[at] === ']') inClass = false;
    }
    at++;
    while (at < source.length && wordPart.test(source[at] ?? '')) at++;
    push('expression', source.slice(start, at));
  };

  const quoted = (quote: string): void => {
    const start = at + 1;
    for (at++; at < source.length && source[at] !== quote; at++) if (source[at] === '\\') at++;
    push('string', source.slice(start, at));
    at++;
  };

  /** Reads from a backtick or a closing `}` to the next `${` or backtick. */
  const template = (): void => {
    const start = at + 1;
    const startLine = line;
    const opening = source[at] === '`';
    for (at++; at < source.length; at++) {
      if (source[at] === '\n') line++;
      else if (source[at] === '\\') at++;
      else if (source[at] === '`') {
        if (opening) push('string', source.slice(start, at), startLine);
        at++;
        return;
      } else if (source[at] === '$' && source[at + 1] === '{') {
        push('punctuation', '`', startLine);
        braces.push(true);
        at += 2;
        return;
      }
    }
  };

  while (at < source.length) {
    const char = source[at] ?? '';
    if (source.startsWith('//', at) || (at === 0 && source.startsWith('#!'))) {
      const end = source.indexOf('\n', at);
      at = end === -1 ? source.length : end;
    } else if (source.startsWith('/*', at)) {
      const end = source.indexOf('*/', at + 2);
      skipTo(end === -1 ? source.length : end + 2);
    } else if (char === "'" || char === '"') quoted(char);
    else if (char === '`') template();
    else if (char === '/' && opensRegex()) regex();
    else if (wordStart.test(char)) {
      const start = at++;
      while (at < source.length && wordPart.test(source[at] ?? '')) at++;
      push('word', source.slice(start, at));
    } else if (char === '}' && braces.pop() === true) template();
    else {
      if (char === '{') braces.push(false);
      if (char === '\n') line++;
      else if (char.trim() !== '') push('punctuation', char);
      at++;
    }
  }
  return found;
}

/** Every module that a file refers to: static and dynamic imports, re-exports, `require`, and `declare module`. */
export function imports(all: readonly Token[]): Import[] {
  const found: Import[] = [];
  const text = (index: number): string | undefined => (isText(all[index]) ? undefined : all[index]?.text);
  all.forEach((token, index) => {
    if (token.kind !== 'word' || text(index - 1) === '.') return;
    const next = all[index + 1];
    const specifier = (candidate: Token | undefined): string | undefined =>
      candidate?.kind === 'string' ? candidate.text : undefined;
    if ((token.text === 'import' || token.text === 'require') && text(index + 1) === '(') {
      found.push({ specifier: specifier(all[index + 2]), line: token.line });
    } else if ((token.text === 'import' || token.text === 'module') && next?.kind === 'string') {
      found.push({ specifier: next.text, line: next.line });
    } else if (token.text === 'from' && next?.kind === 'string' && ['}', '*'].includes(text(index - 1) ?? '')) {
      found.push({ specifier: next.text, line: next.line });
    } else if (token.text === 'from' && next?.kind === 'string' && all[index - 1]?.kind === 'word') {
      found.push({ specifier: next.text, line: next.line });
    }
  });
  return found;
}

const timers = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'];
const refusedWords = new Set(['crypto', 'process', 'Buffer', 'fetch', 'globalThis', 'performance', ...timers]);

/** The uses of clock, random numbers, process, network and timers, for files that must not use them. */
export function impurities(all: readonly Token[]): { readonly name: string; readonly line: number }[] {
  const text = (index: number): string => (isText(all[index]) ? '' : (all[index]?.text ?? ''));
  /**
   * Whether the word is the name of a member: `fetch(from: string): Promise<void>` in an interface, or `fetch(from) { …
   * }` in a class or literal.
   */
  const declaresMember = (index: number): boolean => {
    if (text(index + 1) === ':' || (text(index + 1) === '?' && [':', '('].includes(text(index + 2)))) return true;
    if (text(index + 1) !== '(') return false;
    let depth = 0;
    for (let at = index + 1; at < all.length; at++) {
      if (text(at) === '(') depth++;
      if (text(at) === ')' && --depth === 0) return [':', '{'].includes(text(at + 1));
    }
    return false;
  };
  return all.flatMap((token, index) => {
    if (token.kind !== 'word') return [];
    const then = [1, 2].map((step) => text(index + step)).join('');
    const is = (name: string): { name: string; line: number }[] => [{ name, line: token.line }];
    if (token.text === 'Date' && then === '.now') return is('Date.now');
    if (token.text === 'Math' && then === '.random') return is('Math.random');
    if (token.text === 'Date' && text(index - 1) === 'new' && (then === '()' || text(index + 1) !== '('))
      return is('new Date()');
    if (refusedWords.has(token.text) && text(index - 1) !== '.' && !declaresMember(index)) return is(token.text);
    return [];
  });
}
