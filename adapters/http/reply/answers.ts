// Checks answers against the schemas of their routes: always for plugins from outside, whose unknown members are
// removed, and for other plugins in tests only.
import Joi from 'joi';
import { AnswerTooLarge, largestJson } from './json-text.ts';
import { object, type Route } from '../descriptor/route.ts';
import { silentMessages } from '../descriptor/validation.ts';

export interface ErrorEnvelope {
  readonly error: string;
  readonly detail?: string;
  readonly error_code?: string;
}

/**
 * Bounds of an answer that is checked and stripped, which happens in one event loop iteration. Pages have lower bounds.
 */
const largestChecked = { bytes: 2 * 1024 ** 2, values: 50_000 } as const;

const members: Joi.StrictSchemaMap<ErrorEnvelope> = {
  error: Joi.string().required().description('A sentence for a person; clients branch on the status and error_code'),
  detail: Joi.string().description('Which field, or what to do'),
  error_code: Joi.string().description('Stable and machine-readable'),
};
export const errorEnvelope = object<ErrorEnvelope>(members).id('Error');

/** The schema of an operation's error bodies: the error envelope and the operation's own members. */
export const errorShape = ({ errorMembers }: Pick<Route, 'errorMembers'>): Joi.ObjectSchema =>
  errorMembers === undefined ? errorEnvelope : object<ErrorEnvelope>(members).concat(errorMembers);

export interface AnswerCheck {
  /** Largest JSON body in bytes. */
  readonly largest: number;
  /** @returns the JSON body to send. @throws {Error} naming the plugin, the route and the member. */
  json(body: unknown, status: number): unknown;
  /** @throws {Error} if the route does not declare an answer of bytes, a page, or an answer without a body. */
  other(kind: 'bytes' | 'html' | 'empty', status: number): void;
}

/** @param strip whether members that the schema does not know are removed; otherwise they are an error. */
export function answerCheck(plugin: string, route: Route, strip: boolean): AnswerCheck {
  const { id, result } = route;
  const broken = (how: string): Error =>
    new Error(`plugin "${plugin}", route "${id}": the answer does not fit its schema: ${how}`);
  const prepared = (schema: Joi.Schema): Joi.Schema =>
    schema.prefs({
      convert: false,
      noDefaults: true,
      abortEarly: false,
      stripUnknown: strip,
      messages: silentMessages,
    });
  // Made for the first answer, because this takes as long as all other preparation of a route.
  let answers: Joi.Schema | undefined;
  let refusals: Joi.Schema | undefined;
  const schemaOf = (status: number): Joi.Schema =>
    status < 400
      ? (answers ??= prepared(typeof result === 'string' ? Joi.forbidden() : result))
      : (refusals ??= prepared(errorShape(route)));
  return {
    largest: strip ? largestChecked.bytes : largestJson,
    json(body, status) {
      if (body === undefined) throw broken('it is no JSON');
      if (strip && valuesIn(body, largestChecked.values) > largestChecked.values)
        throw new AnswerTooLarge(`${largestChecked.values} values`);
      if (status < 400 && typeof result === 'string') throw broken(`it is JSON, and "${result}" was declared`);
      const { value, error } = schemaOf(status).validate(body) as { readonly value: unknown; readonly error?: Error };
      if (error !== undefined) throw broken(error.message);
      return value;
    },
    other(kind, status) {
      if (kind !== 'empty' && result !== kind)
        throw broken(`it is ${kind === 'html' ? 'a page, which was' : 'bytes, which were'} not declared`);
      // Redirects, refusals, 202 and 204 may have no body.
      if (kind === 'empty' && result !== 'empty' && status < 300 && status !== 202 && status !== 204)
        throw broken('it has no body');
    },
  };
}

/** Counts members and items at every depth; stops soon after `most`. */
function valuesIn(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let sum = 1;
  for (const one of Object.values(value)) {
    sum += valuesIn(one, most - sum);
    if (sum > most) break;
  }
  return sum;
}
