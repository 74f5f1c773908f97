// Validates a part of the configuration by its joi schema, without values in the messages.
import type Joi from 'joi';
import { didYouMean } from '../problems/nearest.ts';
import type { Problem } from '../problems/problem.ts';

/** Replaces joi's messages that contain the value. */
const silent = { 'string.pattern.base': 'must match {{#regex}}', 'string.pattern.name': 'must be a {{#name}}' };

/**
 * Validates a part of the configuration. Every fault becomes a problem with the path of its key; `faulty` has the
 * paths. Messages never contain values, because they may be secrets.
 */
export function validated<T>(
  schema: Joi.ObjectSchema<T>,
  raw: unknown,
  { prefix, code, plugin }: { readonly prefix: string; readonly code: string; readonly plugin?: string },
): {
  readonly value: T;
  readonly problems: readonly Problem[];
  readonly faulty: readonly (readonly (string | number)[])[];
} {
  const { value, error } = schema.validate(raw, { abortEarly: false, errors: { label: false }, messages: silent });
  const owner = plugin === undefined ? {} : { plugin };
  const problems = (error?.details ?? []).map((detail): Problem => {
    const key = [...(prefix === '' ? [] : [prefix]), ...detail.path].join('.');
    if (detail.type !== 'object.unknown')
      return {
        code,
        ...owner,
        message: `${key} ${detail.message}`,
        remedy: 'Correct the value, or remove the line for the default',
      };
    return {
      code: 'unknown_key',
      ...owner,
      message: `${key} is no configuration key`,
      remedy: didYouMean(String(detail.path.at(-1)), keysAt(schema, detail.path.slice(0, -1)), 'Remove the line'),
    };
  });
  return { value, problems, faulty: (error?.details ?? []).map(({ path }) => path) };
}

/** The keys that the schema allows at a path. */
function keysAt(schema: Joi.Schema, path: readonly (string | number)[]): readonly string[] {
  const at = path.reduce<Joi.Description | undefined>((description, step) => {
    const keys: Readonly<Record<string, Joi.Description>> | undefined = description?.['keys'];
    return keys?.[step];
  }, schema.describe());
  const keys: object | undefined = at?.['keys'];
  return Object.keys(keys ?? {});
}
