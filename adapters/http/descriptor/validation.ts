// Input validation: joi schemas prepared once, and error messages that name the field.
import Joi from 'joi';
import { HexforgeError, UnknownField, ValidationFailed } from '#core/kernel/errors';

export type Check = (value: unknown) => unknown;

/** Replaces joi's messages that quote the value, which may be a secret. */
export const silentMessages: Joi.LanguageMessages = {
  'string.pattern.base': '{{#label}} does not have the required form',
  'string.pattern.name': '{{#label}} is not a valid {{#name}}',
  'string.pattern.invert.base': '{{#label}} has a form that is not allowed',
  'string.pattern.invert.name': '{{#label}} must not be a {{#name}}',
};

const places = {
  params: 'Path parameter',
  query: 'Query parameter',
  body: 'Field',
  form: 'Field',
  tool: 'Argument',
} as const;
export type Place = keyof typeof places;

/**
 * A check that returns the converted value. Unknown members of path parameters, a query or a form are removed; those of
 * a body or of the arguments of a tool are rejected.
 * @throws {ValidationFailed | UnknownField} from the check. @throws {Error} if the schema itself is faulty.
 */
export function compile(schema: Joi.ObjectSchema, place: Place): Check {
  // Prepared at the first request: copying all schemas would make the start longer.
  let prepared: Joi.ObjectSchema | undefined;
  return (value) => {
    prepared ??= schema.prefs(
      place === 'body' || place === 'tool'
        ? { messages: silentMessages }
        : { messages: silentMessages, stripUnknown: true },
    );
    const result = prepared.validate(value);
    if (result.error !== undefined) throw refusal(result.error, place);
    if (place === 'query' || place === 'form') checkText(result.value as Readonly<Record<string, unknown>>, place);
    return result.value as unknown;
  };
}

const usual = 'The request is not valid';
const invalid = { params: usual, query: usual, body: usual, form: usual, tool: 'The arguments are not valid' } as const;

function refusal(error: Error, place: Place): Error {
  // An error that the schema's author supplied: `Joi.string().error(new Error('…'))`.
  if (!Joi.isError(error))
    return error instanceof HexforgeError
      ? error
      : new ValidationFailed('The request is not valid', { detail: error.message });
  const [first] = error.details;
  const message = first?.message ?? error.message;
  if (first?.type === 'any.default')
    return new Error(`${places[place]} ${message}`, { cause: first.context?.['error'] });
  if (first !== undefined && first.path.length === 0)
    return new ValidationFailed(invalid[place], {
      detail: message.replace(/^"value"/, place === 'tool' ? 'The value of "arguments"' : 'The body'),
    });
  const detail = `${places[place]} ${message}`;
  if (first?.type === 'object.unknown')
    return new UnknownField(
      place === 'tool'
        ? 'The tool does not know one of the arguments'
        : 'The body has a field that this operation does not know',
      { detail },
    );
  return new ValidationFailed(invalid[place], { detail });
}

/** Rejects NUL, which no database can store. Bodies are checked for it while they are read, paths before routing. */
function checkText(query: Readonly<Record<string, unknown>>, place: Place): void {
  for (const name in query) {
    const value = query[name];
    const texts = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    if (texts.some((text) => typeof text === 'string' && text.includes('\0')))
      throw new ValidationFailed('The request is not valid', {
        detail: `${places[place]} "${name}" must not contain a NUL character`,
      });
  }
}
