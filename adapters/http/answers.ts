// Answers held against what their route declares: those of plugins from outside always, and stripped of what their
// schema does not know; those of the others in tests.
import Joi from 'joi';
import { AnswerTooLarge, largestJson } from './json-text.ts';
import { object, type Route } from './route.ts';
import { silentMessages } from './validation.ts';

export interface ErrorEnvelope {
  readonly error: string;
  readonly detail?: string;
  readonly error_code?: string;
}

/** Of an answer that is checked and stripped, which is done in one turn of the event loop; pages have less. */
const largestChecked = { bytes: 2 * 1024 ** 2, values: 50_000 } as const;

const members: Joi.StrictSchemaMap<ErrorEnvelope> = {
  error: Joi.string().required().description('A sentence for a person; clients branch on the status and error_code'),
  detail: Joi.string().description('Which field, or what to do'),
  error_code: Joi.string().description('Stable and machine-readable'),
};
export const errorEnvelope = object<ErrorEnvelope>(members).id('Error');

/** The shape of what an operation refuses with: the envelope, and its own members beside it. */
export const errorShape = ({ errorMembers }: Pick<Route, 'errorMembers'>): Joi.ObjectSchema =>
  errorMembers === undefined ? errorEnvelope : object<ErrorEnvelope>(members).concat(errorMembers);

export interface AnswerCheck {
  /** What a JSON body may have, in bytes. */
  readonly largest: number;
  /** @returns what of a JSON body may be sent. @throws {Error} naming the plugin, the route and the member. */
  json(body: unknown, status: number): unknown;
  /** @throws {Error} where an answer of bytes, a page, or one without a body, was not declared. */
  other(kind: 'bytes' | 'html' | 'empty', status: number): void;
}

/** @param strip whether members that the schema does not know fall away; without it they are a fault too. */
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
  const answer = prepared(typeof result === 'string' ? Joi.forbidden() : result);
  const refusal = prepared(errorShape(route));
  return {
    largest: strip ? largestChecked.bytes : largestJson,
    json(body, status) {
      if (body === undefined) throw broken('it is no JSON');
      if (strip && valuesIn(body, largestChecked.values) > largestChecked.values)
        throw new AnswerTooLarge(`${largestChecked.values} values`);
      if (status < 400 && typeof result === 'string') throw broken(`it is JSON, and "${result}" was declared`);
      const schema = status < 400 ? answer : refusal;
      const { value, error } = schema.validate(body) as { readonly value: unknown; readonly error?: Error };
      if (error !== undefined) throw broken(error.message);
      return value;
    },
    other(kind, status) {
      if (kind !== 'empty' && result !== kind)
        throw broken(`it is ${kind === 'html' ? 'a page, which was' : 'bytes, which were'} not declared`);
      // Redirects and refusals may do without, and what says that there is none.
      if (kind === 'empty' && result !== 'empty' && status < 300 && status !== 204) throw broken('it has no body');
    },
  };
}

/** Members and items at every depth, counted no further than a little over `most`. */
function valuesIn(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let sum = 1;
  for (const one of Object.values(value)) {
    sum += valuesIn(one, most - sum);
    if (sum > most) break;
  }
  return sum;
}
