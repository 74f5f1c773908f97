// Shapes: joi object schemas from which the TypeScript type is inferred, so that a body is declared once.
import Joi from 'joi';
import './text-lengths.ts';
import { UnknownField } from '#core/kernel/errors';
import { isDate } from '#core/kernel/instant';
import type { Page } from '#core/kernel/page';

declare const optional: unique symbol;

/** A member that may be absent. */
export type Optional<S> = S & { readonly [optional]: true };

type Members = Readonly<Record<string, Joi.AnySchema>>;

/** The type of a value that a schema accepts: `type BranchJson = TypeOf<typeof branchJson>`. */
export type TypeOf<S> =
  // ObjectSchema is matched first: inferred as any other schema, an object with a member `value` would get that
  // member's type.
  S extends Joi.ObjectSchema<infer T> ? T : S extends Joi.AnySchema<infer T> ? T : never;

type OptionalKeys<M> = { [K in keyof M]: M[K] extends Optional<unknown> ? K : never }[keyof M];
type TypeOfMembers<M> = { readonly [K in Exclude<keyof M, OptionalKeys<M>>]: TypeOf<M[K]> } & {
  readonly [K in OptionalKeys<M>]?: TypeOf<M[K]>;
};

/**
 * An object with exactly these members. Each is required, except those in `maybe` and those with a default, which are
 * always present after validation. The inferred type is anonymous, so that compiler messages show its members.
 *
 * @example
 * const labelJson = shape({ id: uuid(), name: text().max(50), color: orNull(text()) }).id('Label');
 * type LabelJson = TypeOf<typeof labelJson>;
 */
export const shape = <const M extends Members>(
  members: M,
): Joi.ObjectSchema<{ [K in keyof TypeOfMembers<M>]: TypeOfMembers<M>[K] }> =>
  Joi.object(Object.fromEntries(Object.entries(members).map(([name, member]) => [name, present(member)])));

/** Allows the member to be absent. Applied last: `maybe(text().max(50))`. */
export const maybe = <S extends Joi.AnySchema>(schema: S): Optional<S> => schema.optional() as Optional<S>;

/** Allows `null`: the member is present and has no value. Inside `maybe` if it may also be absent. */
export const orNull = <S extends Joi.AnySchema>(
  schema: S extends Optional<unknown> ? never : S,
): Joi.AnySchema<TypeOf<S> | null> => schema.allow(null);

/** joi rejects two schemas with the same id in one object, so a named shape that is used twice must stay one schema. */
const requiredForms = new WeakMap<Joi.AnySchema, Joi.AnySchema>();

function present(schema: Joi.AnySchema): Joi.AnySchema {
  if (schema.$_getFlag('presence') !== undefined || schema.$_getFlag('default') !== undefined) return schema;
  const required = requiredForms.get(schema) ?? schema.required();
  requiredForms.set(schema, required);
  return required;
}

/** Any text, including the empty one. Bound it with `.max` for input. */
export const text = (): Joi.StringSchema => Joi.string().allow('');

/** Text that is not empty. */
export const word = (): Joi.StringSchema => Joi.string();

/** A uuid (RFC 9562) in any case, converted to lower case. */
export const uuid = (): Joi.StringSchema => Joi.string().lowercase().pattern(uuidPattern, 'uuid');
/** A uuid in any case. */
export const uuidPattern = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;

/** An instant in RFC 3339 format, in UTC. */
export const time = (): Joi.StringSchema => Joi.string().isoDate();

/**
 * A whole number from 0. joi's own check for too large numbers takes quadratic time on text (`/0+$/`), so `max`
 * replaces it.
 */
export const count = (): Joi.NumberSchema => Joi.number().unsafe().integer().min(0).max(Number.MAX_SAFE_INTEGER);

/** A boolean. For a body, add `.strict()`, so that only JSON booleans are accepted. */
export const flag = (): Joi.BooleanSchema => Joi.boolean();

/** One of these texts. */
export const oneOf = <const T extends string>(...values: readonly T[]): Joi.StringSchema<T> =>
  Joi.string<T>().valid(...values);

/**
 * A member that answers have and a body may not. It is rejected like an unknown member, with its own message and
 * remedy. Place it first, so that it is reported before missing members.
 *
 * @example
 *   shape({ owner: readOnly('owner cannot be changed here', 'Transfer the repository'), name: maybe(word()) });
 */
export const readOnly = (error: string, detail: string): Optional<Joi.AnySchema<never>> =>
  Joi.any()
    .forbidden()
    .error(() => new UnknownField(error, { detail }))
    .description('Refused in a body') as unknown as Optional<Joi.AnySchema<never>>;

/** A calendar day, YYYY-MM-DD; the earliest year is 0001, as in PostgreSQL. */
export const day = (): Joi.StringSchema =>
  Joi.string()
    .pattern(/^\d{4}-\d{2}-\d{2}$/, 'day')
    .custom((value: string, helpers) => (isDate(value) && value >= '0001' ? value : helpers.error('string.isoDate')));

/** A list of such items; bound it with `.max` for input. */
export const list = <S extends Joi.AnySchema>(item: S): Joi.ArraySchema<readonly TypeOf<S>[]> =>
  Joi.array<readonly TypeOf<S>[]>().items(item);

/** The query parameters of a page; `readPage` converts them to numbers, by the rule of the list. */
export const pageQuery = {
  page: maybe(word().empty('').description('1-based; default 1')),
  per_page: maybe(word().empty('').description('1 to 100; default 25')),
} as const;

/** The page envelope: the items, and their position in the whole list. */
export const pageOf = <S extends Joi.AnySchema>(item: S) =>
  shape({ items: list(item), total: count(), page: count(), per_page: count() });

/** A page in its envelope. */
export const presentPage = <T, J>({ items, total, page, perPage }: Page<T>, present: (item: T) => J) => ({
  items: items.map(present),
  total,
  page,
  per_page: perPage,
});
