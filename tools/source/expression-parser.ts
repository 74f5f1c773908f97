// Parses the structure of a regular expression: sequences, choices and repetitions. Which text a single character
// matches is decided by running the regular expression engine.

export type Node =
  | { readonly kind: 'character'; readonly source: string }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly body: Node; readonly min: number; readonly max: number }
  | { readonly kind: 'look'; readonly body: Node }
  | { readonly kind: 'condition'; readonly is: 'start' | 'end' | 'word' }
  | { readonly kind: 'reference' };

/** @throws {Error} if a group does not end. A valid `RegExp` never has such a group. */
export function parseExpression({ source, unicodeSets }: RegExp): Node {
  let at = 0;
  const eat = (text: string): boolean => {
    if (!source.startsWith(text, at)) return false;
    at += text.length;
    return true;
  };
  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    const found = new RegExp(pattern.source, 'y');
    found.lastIndex = at;
    const result = found.exec(source);
    at += result?.[0].length ?? 0;
    return result ?? undefined;
  };

  const choice = (): Node => {
    const parts = [sequence()];
    while (eat('|')) parts.push(sequence());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'choice', parts };
  };

  const sequence = (): Node => {
    const parts: Node[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(repeated(single()));
    return { kind: 'sequence', parts };
  };

  const repeated = (body: Node): Node => {
    const counts = match(/\{(\d+)(,?)(\d*)\}/);
    const [min, max] =
      counts !== undefined
        ? [Number(counts[1]), counts[3] !== '' ? Number(counts[3]) : counts[2] === '' ? Number(counts[1]) : Infinity]
        : eat('*')
          ? [0, Infinity]
          : eat('+')
            ? [1, Infinity]
            : eat('?')
              ? [0, 1]
              : [1, 1];
    if (min === 1 && max === 1) return body;
    eat('?');
    return { kind: 'repeat', body, min, max };
  };

  const single = (): Node => {
    if (eat('^')) return { kind: 'condition', is: 'start' };
    if (eat('$')) return { kind: 'condition', is: 'end' };
    if (match(/\\[bB]/)) return { kind: 'condition', is: 'word' };
    if (match(/\\(?:[1-9]\d*|k<[^>]*>)/)) return { kind: 'reference' };
    if (match(/\(\?<?[=!]/)) return { kind: 'look', body: group() };
    if (match(/\((?:\?(?:[a-z-]*:|<[^>]*>))?/)) return group();
    const start = at;
    if (source[at] === '[') characterClass();
    else if (!match(/\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[^])/))
      at += String.fromCodePoint(source.codePointAt(at) ?? 0).length;
    return { kind: 'character', source: source.slice(start, at) };
  };

  const group = (): Node => {
    const body = choice();
    if (!eat(')')) throw new Error(`a group of /${source}/ does not end`);
    return body;
  };

  const characterClass = (): void => {
    for (let depth = 0; at < source.length; at++) {
      if (source[at] === '\\') at++;
      else if (source[at] === '[' && (unicodeSets || depth === 0)) depth++;
      else if (source[at] === ']' && --depth === 0) return void at++;
    }
  };

  return choice();
}
