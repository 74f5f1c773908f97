// Regular expressions in a search: the literal texts that an index can find, and the test of lines.
import { ValidationFailed } from '#core/kernel/errors';
import { folded, isIndexable } from './folded.ts';

/** Compiles a regular expression. A compiled one takes linear time for each line. */
export type CompilePattern = (
  source: string,
) => Promise<{ readonly problem: string } | { readonly test: (line: string) => boolean }>;

/** A regular expression of a search. */
export interface SearchPattern {
  /** Folded texts that every matching line contains. */
  readonly literals: readonly string[];
  readonly test: (line: string) => boolean;
}

/** @throws {ValidationFailed} if it is malformed, too large, or has no literal text that an index can find. */
export async function searchPattern(source: string, compile: CompilePattern): Promise<SearchPattern> {
  const compiled = await compile(source);
  if ('problem' in compiled)
    throw new ValidationFailed('The regular expression cannot be used', { detail: compiled.problem.slice(0, 200) });
  const literals = literalsIn(source).map(folded).filter(isIndexable);
  if (literals.length > 0) return { literals, test: compiled.test };
  throw new ValidationFailed('The regular expression is too general', {
    detail: 'It must have three letters or digits in a row outside of groups, classes and alternatives',
  });
}

const classEscape = /[0-9A-Za-z]/;

/** The texts that every match contains: runs of literal characters outside of groups, classes and alternatives. */
export function literalsIn(source: string): readonly string[] {
  const runs: string[] = [];
  let run = '';
  const end = (): void => {
    if (run !== '') runs.push(run);
    run = '';
  };
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at] ?? '';
    const next = source[at + 1] ?? '';
    if (char === '|') return [];
    if (char === '\\') {
      at += 1;
      if (classEscape.test(next)) {
        end();
        // Of `\p{…}` and `\x{…}`.
        if (source[at + 1] === '{') at = closing(source, at + 1, '}');
      } else run += next;
    } else if (char === '(') {
      end();
      at = groupEnd(source, at);
    } else if (char === '[') {
      end();
      at = classEnd(source, at);
    } else if (char === '*' || char === '?' || char === '{') {
      // The character before it may be missing.
      run = run.slice(0, -1);
      end();
      if (char === '{') at = closing(source, at, '}');
    } else if (char === '+') {
      end();
    } else if (char === '.' || char === '^' || char === '$') end();
    else run += char;
  }
  end();
  return runs;
}

/** The place of the closing character, or the end. */
function closing(source: string, from: number, char: string): number {
  const at = source.indexOf(char, from);
  return at < 0 ? source.length : at;
}

function classEnd(source: string, from: number): number {
  // A bracket directly after the start is a member.
  let at = source[from + 1] === '^' ? from + 2 : from + 1;
  for (at += 1; at < source.length && source[at] !== ']'; at += 1) if (source[at] === '\\') at += 1;
  return at;
}

function groupEnd(source: string, from: number): number {
  let depth = 0;
  for (let at = from; at < source.length; at += 1) {
    const char = source[at];
    if (char === '\\') at += 1;
    else if (char === '[') at = classEnd(source, at);
    else if (char === '(') depth += 1;
    else if (char === ')') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return source.length;
}
