// No regular expression of the product takes more than linear time for any text.
import t from 'tap';
import { projectFiles } from '../../tools/project-files.ts';
import { tokens } from '../../tools/source/scan.ts';
import { superLinear } from '../../tools/source/super-linear.ts';

const product = /^(?:core|adapters|plugins|host|config|bin)\//;

/** If fewer are found, the search is broken and a passing test would prove nothing. */
const least = 100;

interface Found {
  readonly place: string;
  /** The expression in the source; undefined if it is constructed at run time. */
  readonly expression: RegExp | undefined;
}

/** Literals, arguments of `RegExp`, and texts that a method converts to an expression. */
function expressions(path: string, text: string): readonly Found[] {
  const all = tokens(text);
  return all.flatMap((token, index): Found[] => {
    const place = `${path}:${token.line}`;
    if (token.kind === 'expression') {
      const end = token.text.lastIndexOf('/');
      return [{ place, expression: new RegExp(token.text.slice(1, end), token.text.slice(end + 1)) }];
    }
    const called = token.kind === 'word' && all[index + 1]?.text === '(' ? token.text : '';
    const given = all[index + 2];
    if (called === 'RegExp' && all[index - 1]?.text !== '.')
      return given?.kind === 'expression' ? [] : [{ place, expression: undefined }];
    if (['match', 'matchAll', 'search'].includes(called) && all[index - 1]?.text === '.' && given?.kind === 'string')
      return [{ place, expression: new RegExp(given.text) }];
    return [];
  });
}

const faults = (path: string, text: string): readonly string[] =>
  expressions(path, text).flatMap(({ place, expression }) => {
    if (expression === undefined) return [`${place} makes a regular expression at run time, which cannot be judged`];
    const found = superLinear(expression);
    if (found === undefined) return [];
    return [`${place} ${String(expression)} is ${found.growth} on ${JSON.stringify(found.repeated)} repeated`];
  });

void t.test('every regular expression takes time linear in the text', (t) => {
  const files = projectFiles(['ts', 'js']).filter(({ path }) => product.test(path));
  const seen = files.reduce((count, { path, text }) => count + expressions(path, text).length, 0);
  t.ok(seen >= least, `finds at least ${least} expressions: ${seen}`);
  t.strictSame(
    files.flatMap(({ path, text }) => faults(path, text)),
    [],
  );
  t.end();
});

void t.test('an expression that takes more than linear time is found, with a text that proves it', (t) => {
  for (const [expression, growth, repeated] of [
    [/\n+$/, 'polynomial', '\n\n'],
    [/\s+$/m, 'polynomial', undefined],
    [/\s*,\s*/, 'polynomial', '\t'],
    [/^(.*?)=(.*)$/, 'polynomial', '=0'],
    [/[a-z]+\.git/, 'polynomial', 'aa'],
    [/\{[^}]*\}/g, 'polynomial', undefined],
    [/^\d{1,40}\d{1,40}$/, 'polynomial', '00'],
    [/(?<=a.*)b/, 'polynomial', undefined],
    [/^(?:(?=.*b)a)*$/, 'polynomial', undefined],
    [/^(a+)+$/, 'exponential', 'aa'],
    [/^(?:a|a)*b/, 'exponential', 'aa'],
    [/^(?:\s*#?\n?)*$/, 'exponential', undefined],
    [/^(a*)\1$/, 'unknown', ''],
  ] as const) {
    const found = superLinear(expression);
    t.equal(found?.growth, growth, String(expression));
    if (repeated !== undefined) t.equal(found?.repeated, repeated, String(expression));
  }
  t.end();
});

void t.test('an expression of linear time is accepted', (t) => {
  for (const expression of [
    /a+/g,
    /^\s+/,
    /\s+y/y,
    /^a*b*c/,
    /^[^:]*:.*$/s,
    /(?:ab)+/,
    /^(?:a|ab)*$/,
    /\r?\n/g,
    /^[A-Za-z0-9](?:[A-Za-z0-9 _.-]{0,48}[A-Za-z0-9])?$/,
    /^x{2,500}y{0,40}x$/,
    /[^\P{Cc}\n\r\t]/u,
    /^[\p{L}--[a-z]]+$/v,
    /BEGIN[^]*/m,
  ])
    t.equal(superLinear(expression), undefined, String(expression));
  t.end();
});

void t.test('an expression is found anywhere in a file, and one constructed at run time is rejected', (t) => {
  const planted = [
    '// A planted file: /a+$/ in a comment, and one in a text.',
    'const harmless = "/a+$/";',
    'export const trimmed = (text: string) => text.replace(/\\n+$/, `${text.split(/^(a+)+$/)}`);',
    'export const found = (text: string) => text.match("[ab]+c");',
    'export const made = (name: string) => new RegExp(name);',
  ].join('\n');
  t.strictSame(faults('core/planted.ts', planted), [
    'core/planted.ts:3 /\\n+$/ is polynomial on "\\n\\n" repeated',
    'core/planted.ts:3 /^(a+)+$/ is exponential on "aa" repeated',
    'core/planted.ts:4 /[ab]+c/ is polynomial on "aa" repeated',
    'core/planted.ts:5 makes a regular expression at run time, which cannot be judged',
  ]);
  t.end();
});
