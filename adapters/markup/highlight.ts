// Highlights the syntax of code, as elements with one of a few classes.
import highlighter from 'highlight.js/lib/core';
import { escaped, visible } from './escaped.ts';
import { embeddedIn, grammarOf, grammars } from './grammars.ts';
import { longest } from './tasks.ts';

/** The scopes of highlight.js → our classes. Other scopes have no colour. */
const classOf: Readonly<Record<string, string>> = {
  ...scopes('tk', 'keyword selector-tag doctag template-tag'),
  ...scopes('ts', 'string regexp char link code'),
  ...scopes('tn', 'number literal symbol bullet'),
  ...scopes('tc', 'comment quote'),
  ...scopes('tf', 'title section selector-id selector-class'),
  ...scopes('tt', 'type built_in class name'),
  ...scopes('ta', 'attr attribute property variable template-variable selector-attr selector-pseudo'),
  ...scopes('tm', 'meta'),
  ...scopes('ti', 'addition'),
  ...scopes('td', 'deletion'),
};

function scopes(name: string, list: string): Readonly<Record<string, string>> {
  return Object.fromEntries(list.split(' ').map((scope) => [scope, name]));
}

const loading = new Map<string, Promise<void>>();

/** Loads the grammar of a language, once. */
export async function loaded(language: string): Promise<void> {
  const grammar = grammarOf(language);
  if (grammar === undefined) return;
  await Promise.all([grammar, ...embeddedIn(grammar)].map(register));
}

function register(grammar: string): Promise<void> {
  const begun =
    loading.get(grammar) ??
    grammars[grammar]?.load().then(({ default: definition }) => highlighter.registerLanguage(grammar, definition));
  if (begun !== undefined) loading.set(grammar, begun);
  return begun ?? Promise.resolve();
}

/** The lines of a code as HTML; undefined if the language is unknown or not loaded. Longer lines are plain. */
export function highlighted(text: string, language: string): readonly string[] | undefined {
  const grammar = grammarOf(language);
  if (grammar === undefined || highlighter.getLanguage(grammar) === undefined) return undefined;
  const lines = visible(text.replaceAll(/\r$/gm, '')).split('\n');
  const short = lines.map((line) => (line.length > longest.line ? '' : line)).join('\n');
  const shown = linesOf(highlighter.highlight(short, { language: grammar, ignoreIllegals: true }).value);
  return lines.map((line, index) => (line.length > longest.line ? escaped(line) : (shown[index] ?? escaped(line))));
}

export const plainLines = (text: string): readonly string[] => text.replaceAll(/\r$/gm, '').split('\n').map(escaped);

/** Cuts the result of highlight.js into lines. An element inside another one replaces its class. */
function linesOf(marked: string): readonly string[] {
  const lines: string[] = [];
  const open: string[] = [];
  let line = '';
  for (const [part] of marked.matchAll(/<span class="[^"]*">|<\/span>|\n|[^<\n]+/g)) {
    if (part === '\n') {
      lines.push(line);
      line = '';
    } else if (part === '</span>') open.pop();
    else if (part.startsWith('<')) open.push(ourClass(part) ?? open.at(-1) ?? '');
    else {
      const name = open.at(-1) ?? '';
      line += name === '' ? part : `<span class="${name}">${part}</span>`;
    }
  }
  lines.push(line);
  return lines;
}

function ourClass(tag: string): string | undefined {
  const [, scope = '', more = ''] = /class="(?:hljs-)?([\w-]+)(?: ([\w-]+))?/.exec(tag) ?? [];
  // The title of a class is a type.
  return scope === 'title' && more.startsWith('class') ? 'tt' : classOf[scope];
}
