// Search filters (RFC 4515) with values that are escaped, so that no value changes the meaning of a filter.
import { FilterParser, type Filter } from 'ldapts';

const placeholder = '{username}';

const escapes: Readonly<Record<string, string>> = {
  '\0': String.raw`\00`,
  '(': String.raw`\28`,
  ')': String.raw`\29`,
  '*': String.raw`\2a`,
  '\\': String.raw`\5c`,
};

/** Escapes a value for a filter (RFC 4515, 3). */
export const escaped = (value: string): string => value.replaceAll(/[\0()*\\]/g, (one) => escapes[one] ?? one);

/** The filter that finds a user by name. */
export type FilterTemplate = (username: string) => Filter;

/** Parses the operator's filter. @throws {Error} if it is not a filter that depends on the name. */
export function filterTemplate(template: string): FilterTemplate {
  if (!template.includes(placeholder)) throw new Error(`it does not contain ${placeholder}`);
  if (!/^\(.*\)$/s.test(template)) throw new Error('it is not in parentheses');
  // The library decodes each escape as one character, not as one byte of UTF-8.
  if (/\\[89a-f][0-9a-f]/i.test(template)) throw new Error('letters outside of ASCII must be written without escapes');
  const filter: FilterTemplate = (username) =>
    FilterParser.parseString(template.replaceAll(placeholder, () => escaped(username)));
  // A name in the place of an attribute would let users choose what is compared.
  if (!isValue(template)) throw new Error(`${placeholder} must follow an equals sign`);
  try {
    filter('a');
  } catch {
    throw new Error('it is not a filter');
  }
  // The library accepts missing parentheses at the end.
  if (!isBalanced(template)) throw new Error('it is not a filter: its parentheses are not balanced');
  return filter;
}

/** Whether the first parenthesis is closed by the last one. Parentheses in values are escaped. */
function isBalanced(template: string): boolean {
  let depth = 0;
  for (const { 0: parenthesis, index } of template.matchAll(/[()]/g)) {
    depth += parenthesis === '(' ? 1 : -1;
    if (depth <= 0 && index < template.length - 1) return false;
  }
  return depth === 0;
}

/** Whether every placeholder follows an equals sign in its own parentheses. */
const isValue = (template: string): boolean =>
  [...template.matchAll(/\{username\}/g)].every(({ index }) => {
    const before = template.slice(0, index);
    return before.lastIndexOf('=') > before.lastIndexOf('(');
  });

/** The filter for groups that contain a user: by DN (RFC 4519, 2.17 and 2.40) or by name (RFC 2307). */
export const memberFilter = (dn: string, username: string): Filter =>
  FilterParser.parseString(`(|(member=${escaped(dn)})(uniqueMember=${escaped(dn)})(memberUid=${escaped(username)}))`);
