// Runtime shapes that validate a plugin's objects, since JavaScript does not check types. Each shape returns a plain
// copy, so that later code uses exactly what was checked, and reports every fault with its path.
import { didYouMean } from '../problems/nearest.ts';
import { isSchema, kindOf } from '../problems/values.ts';
import { isPlaceholder } from './placeholders.ts';

export interface Fault {
  readonly code: 'unknown_member' | 'missing_member' | 'bad_member';
  /** The fault as the end of a sentence: `lacks "access"`. */
  readonly says: string;
  readonly remedy: string;
  /** The path of the value. */
  readonly at: string;
}

/** Validates one value. `at` is its path, such as `settings[0].key`. */
export type Shape = (value: unknown, at: string, faults: Fault[]) => unknown;

interface Member {
  readonly shape: Shape;
  /** The remedy if the member is missing; undefined for an optional member. */
  readonly needed?: string;
}

export const required = (shape: Shape, remedy = 'Add it'): Member => ({ shape, needed: remedy });
export const optional = (shape: Shape): Member => ({ shape });
/** Optional members with the same shape. */
export const optionals = <K extends string>(shape: Shape, ...keys: readonly K[]): Readonly<Record<K, Member>> =>
  Object.fromEntries(keys.map((key) => [key, { shape }])) as Record<K, Member>;

const correct = 'Correct it in the code of the plugin';

/** A shape that returns the value unchanged, and reports a fault unless `fits` returns true. */
export const leaf =
  (expected: string, fits: (value: unknown) => boolean, remedy: (value: unknown) => string = () => correct): Shape =>
  (value, at, faults) => {
    const bad = (says: string, then: string): unknown => faults.push({ code: 'bad_member', at, says, remedy: then });
    if (isPlaceholder(value))
      bad(`has "${at}" from what is there only once the plugin is built`, 'Take it from `config`, or write it down');
    else if (!fits(value))
      bad(
        `${at === '' ? '' : `has "${at}", which `}must be ${expected} and is ${kindOf(value)}`,
        typeof value === 'string' ? remedy(value) : correct,
      );
    return value;
  };

/** Reports a value that is not of this kind at all. */
const not = (expected: string): Shape => leaf(expected, () => false);

/** A shape for values that may be unknown before the plugin is built. They are validated after the build. */
export const later =
  (shape: Shape): Shape =>
  (value, at, faults) =>
    isPlaceholder(value) ? value : shape(value, at, faults);

export const text = leaf('a text that is not empty', (value) => typeof value === 'string' && value !== '');
/** The most characters of a name in the database, in logs and in messages to operators. */
const longestName = 200;
const shownName = leaf(
  `a name of at most ${longestName} characters that all show`,
  (value) => typeof value === 'string' && value.length <= longestName && !/[\p{Cc}\p{Cs}]/u.test(value),
);
export const name: Shape = (value, at, faults) =>
  (typeof value === 'string' && value !== '' ? shownName : text)(value, at, faults);
export const flag = leaf('true or false', (value) => typeof value === 'boolean');
export const fn: Shape = later(leaf('a function', (value) => typeof value === 'function'));
export const count = leaf('a whole number from 0', (value) => Number.isSafeInteger(value) && Number(value) >= 0);
export const anything: Shape = (value) => value;

export const oneOf = (...values: readonly (string | number | boolean | null)[]): Shape => {
  const names = values.map((value) => JSON.stringify(value));
  return leaf(
    names.length === 1 ? names.join() : `one of ${names.join(', ')}`,
    (value) => values.some((one) => one === value),
    (value) => didYouMean(String(value), values.map(String), correct),
  );
};

export const list =
  (item: Shape): Shape =>
  (value, at, faults) => {
    if (!Array.isArray(value)) return not('a list')(value, at, faults);
    return Array.from(value, (one: unknown, index) => item(one, `${at}[${index}]`, faults));
  };

/** An object with any keys, each with a value of the given shape. */
export const table =
  (item: Shape): Shape =>
  (value, at, faults) => {
    if (!isRecord(value)) return not('an object')(value, at, faults);
    return Object.fromEntries(Object.keys(value).map((key) => [key, item(value[key], `${at}.${key}`, faults)]));
  };

/**
 * An object with these members.
 * @param what The word for it in a message about an unknown member, such as "a route".
 */
export const object = (what: string, members: Readonly<Record<string, Member>>): Shape => {
  const known = Object.entries(members);
  return (value, at, faults) => {
    if (!isRecord(value)) return not(what)(value, at, faults);
    const prefix = at === '' ? '' : `${at}.`;
    for (const key of Object.keys(value))
      if (!Object.hasOwn(members, key))
        faults.push({
          code: 'unknown_member',
          at: prefix + key,
          says: `has "${prefix}${key}", which is no member of ${what}`,
          remedy: didYouMean(key, Object.keys(members), `Remove it; known are ${Object.keys(members).join(', ')}`),
        });
    const copy: Record<string, unknown> = {};
    for (const [key, { shape, needed }] of known) {
      const member: unknown = value[key];
      if (member !== undefined) copy[key] = shape(member, prefix + key, faults);
      else if (needed !== undefined)
        faults.push({ code: 'missing_member', at: prefix + key, says: `lacks "${prefix}${key}"`, remedy: needed });
    }
    return copy;
  };
};

const joiSays = 'made with `shape` or the `Joi` of "hexforge/plugin"';
export const objectSchema = leaf(
  `the schema of an object, ${joiSays},`,
  (value) => isSchema(value) && value.type === 'object',
);
/** A schema, or one of these words. */
export const schemaOr = (...words: readonly string[]): Shape =>
  leaf(
    [`a schema ${joiSays}`, ...words.map((word) => `"${word}"`)].join(' or '),
    (value) => isSchema(value) || words.some((word) => word === value),
  );
/** The schema of an object, or one of these words. */
export const objectSchemaOr = (...words: readonly string[]): Shape =>
  leaf(
    [`the schema of an object, ${joiSays},`, ...words.map((word) => `"${word}"`)].join(' or '),
    (value) => words.some((word) => word === value) || (isSchema(value) && value.type === 'object'),
  );

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isPlaceholder(value);

/** An object whose members depend on the value of one of them. */
export const variant =
  (member: string, shapes: Readonly<Record<string, Shape>>, otherwise: Shape): Shape =>
  (value, at, faults) => {
    const kind: unknown = isRecord(value) ? value[member] : undefined;
    const shape = typeof kind === 'string' && Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
    return (shape ?? otherwise)(value, at, faults);
  };
