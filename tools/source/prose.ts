// The prose of a source file: its comments, and in tests the names of tests and checks.
import { parseSync, Visitor } from 'oxc-parser';
import type { SourceFile } from '../layers.ts';

export interface Prose {
  readonly line: number;
  /** Without comment marks, code in backticks and examples. Consecutive line comments are one text. */
  readonly text: string;
}

const calledTest = new Set(['test', 'contract', 'check']);

export function prose({ path, text }: SourceFile): Prose[] {
  const { comments, program } = parseSync(path, text);
  const lineAt = lines(text);
  const found: (Prose & { end: number })[] = [];
  for (const { type, value, start, end } of comments) {
    const before = found.at(-1);
    if (type === 'Line' && before !== undefined && /^\n[ \t]*$/.test(text.slice(before.end, start)))
      found[found.length - 1] = { ...before, text: `${before.text}${value}`, end };
    else
      found.push({
        line: lineAt(start),
        text: value.replace(/^\*/, '').replaceAll(/\n\s*\*/g, ''),
        end: type === 'Line' ? end : -1,
      });
  }
  const names: Prose[] = [];
  if (path.startsWith('test/')) {
    const name = (node: { readonly type: string; readonly start: number } | undefined): void => {
      if (node?.type === 'Literal' && 'value' in node && typeof node.value === 'string' && node.value.includes(' '))
        names.push({ line: lineAt(node.start), text: node.value });
    };
    new Visitor({
      CallExpression({ callee, arguments: [first] }) {
        const called = callee.type === 'MemberExpression' ? callee.property : callee;
        if (called.type === 'Identifier' && calledTest.has(called.name)) name(first);
      },
      Property({ key, value }) {
        if (path.startsWith('test/contracts/') && key.type === 'Identifier' && key.name === 'name') name(value);
      },
    }).visit(program);
  }
  return [...found.map(({ line, text: words }) => ({ line, text: withoutCode(words) })), ...names];
}

/** Quoted code and examples are not prose. */
const withoutCode = (text: string): string =>
  text
    .replace(/@example[^]*$/, '')
    .replaceAll(/`[^`]*`/g, '``')
    .trim();

/** The line of an offset, from 1. */
function lines(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
