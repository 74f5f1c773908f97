// Validates a part of the configuration by its joi schema, without values in the messages.
import type Joi from 'joi';
import { didYouMean } from '../problems/nearest.ts';
import type { Problem } from '../problems/problem.ts';

/** Replaces joi's messages that contain the value. */
const silent = { 'string.pattern.base': 'must match {{#regex}}', 'string.pattern.name': 'must be a {{#name}}' };

export interface ValidatedPart {
  /** The key of the part, such as `plugins.bell`; empty for the whole configuration. */
  readonly prefix: string;
  readonly code: string;
  readonly plugin?: string;
  /** The environment variables that can set a key of the part. */
  readonly variablesOf?: (key: string) => readonly string[];
  /** The environment variable that has set a key of the part; undefined if the value comes from the file. */
  readonly setBy?: ((key: string) => string | undefined) | undefined;
}

/**
 * Validates a part of the configuration. Every fault becomes a problem with the path of its key; `faulty` has the
 * paths. Messages never contain values, because they may be secrets.
 */
export function validated<T>(
  schema: Joi.ObjectSchema<T>,
  raw: unknown,
  part: ValidatedPart,
): {
  readonly value: T;
  readonly problems: readonly Problem[];
  readonly faulty: readonly (readonly (string | number)[])[];
} {
  const { value, error } = schema.validate(raw, { abortEarly: false, errors: { label: false }, messages: silent });
  const { prefix, plugin } = part;
  const details = error?.details ?? [];
  const described = details.length === 0 ? {} : schema.describe();
  const problems = details.map((detail): Problem => {
    const key = [...(prefix === '' ? [] : [prefix]), ...detail.path].join('.');
    const isUnknown = detail.type === 'object.unknown';
    return {
      code: isUnknown ? 'unknown_key' : part.code,
      ...(plugin !== undefined && { plugin }),
      message: `${key} ${isUnknown ? 'is no configuration key' : detail.message}`,
      remedy: remedyOf(detail, { key, described, part }),
    };
  });
  return { value, problems, faulty: details.map(({ path }) => path) };
}

/** Remedies for rules about several keys of one object. */
const ofSeveral: Readonly<Record<string, string>> = {
  'object.missing': 'Set one of them',
  'object.xor': 'Keep one of them, and remove the others',
  'object.oxor': 'Keep one of them, and remove the others',
  'object.nand': 'Remove one of them',
  'object.and': 'Set all of them, or none',
  'object.with': 'Set the missing one too, or remove the other',
  'object.without': 'Remove one of them',
};

function remedyOf(
  { type, path }: Joi.ValidationErrorItem,
  {
    key,
    described,
    part: { plugin, variablesOf, setBy },
  }: { readonly key: string; readonly described: Joi.Description; readonly part: ValidatedPart },
): string {
  const top = String(path[0] ?? '');
  const variable = setBy?.(top);
  if (type === 'any.required') return setting(key, { plugin, variables: path.length > 1 ? [] : variablesOf?.(top) });
  if (variable !== undefined) return `Correct or unset ${variable}`;
  if (type === 'object.unknown')
    return didYouMean(String(path.at(-1)), keysIn(at(described, path.slice(0, -1))), 'Remove the line');
  if (type === 'any.unknown') return 'Remove the line';
  const several = ofSeveral[type];
  if (several !== undefined) return several;
  const here = at(described, path);
  const flags: { readonly presence?: string; readonly default?: unknown } = here?.['flags'] ?? {};
  if (here === undefined || flags.presence === 'required') return 'Correct the value';
  return `Correct the value, or remove the line${flags.default === undefined ? '' : ' for the default'}`;
}

function setting(
  key: string,
  {
    plugin,
    variables = [],
  }: { readonly plugin: string | undefined; readonly variables: readonly string[] | undefined },
): string {
  const ways = [`Set ${key} in the configuration file`, ...variables.map((name) => `set the variable ${name}`)];
  if (plugin !== undefined) ways.push(`disable the plugin with HEXFORGE_PLUGINS=-${plugin}`);
  return ways.length < 2 ? ways.join('') : `${ways.slice(0, -1).join(', ')}, or ${ways.at(-1) ?? ''}`;
}

const keysOf = (description: Joi.Description | undefined): Readonly<Record<string, Joi.Description>> =>
  (description?.keys ?? {}) as Readonly<Record<string, Joi.Description>>;
const keysIn = (description: Joi.Description | undefined): readonly string[] => Object.keys(keysOf(description));

/** The description of the value at a path; undefined if the path leads through a list. */
const at = (description: Joi.Description, path: readonly (string | number)[]): Joi.Description | undefined =>
  path.reduce<Joi.Description | undefined>((inner, step) => keysOf(inner)[step] ?? valueOf(inner), description);

/** The description of the values of a map. */
function valueOf(description: Joi.Description | undefined): Joi.Description | undefined {
  const patterns: readonly { readonly rule: Joi.Description }[] = description?.['patterns'] ?? [];
  return patterns[0]?.rule;
}
