// Makes joi measure texts in Unicode code points, as the API does and as JSON Schema defines `maxLength`. joi counts
// UTF-16 code units and has no setting for it. An extension of joi would be a second root without its types, and would
// not reach the schemas of plugins.
import Joi from 'joi';
import { characters } from '#core/kernel/characters';

/** The rule of joi behind `max`, `min` and `length` of texts (joi/lib/types/string.js). */
interface LengthRule {
  validate(
    value: string,
    helpers: Pick<Joi.CustomHelpers, 'error'>,
    args: { readonly limit: number; readonly encoding?: string },
    rule: { readonly name: string; readonly operator: keyof typeof compared },
  ): unknown;
}

const compared = {
  '<=': (count: number, limit: number) => count <= limit,
  '>=': (count: number, limit: number) => count >= limit,
  '=': (count: number, limit: number) => count === limit,
} as const;

const { _definition: definition } = Joi.string() as unknown as {
  readonly _definition: { readonly rules: { readonly length: LengthRule } };
};
const { length } = definition.rules;
const joiValidates = length.validate.bind(length);

length.validate = (value, helpers, args, rule) => {
  // With an encoding the limit is in bytes.
  if (args.encoding !== undefined) return joiValidates(value, helpers, args, rule);
  const { limit } = args;
  // A longer text, which may be the body of a request, is not counted.
  const count = value.length > 2 * limit ? value.length : characters(value);
  return compared[rule.operator](count, limit) ? value : helpers.error(`string.${rule.name}`, { limit, value });
};
