// Shapes: joi object schemas whose TypeScript type follows from them, so that the shape of a body is declared once.
import Joi from 'joi';
import { UnknownField } from '#core/kernel/errors';
import { isDate } from '#core/kernel/instant';
import type { Page } from '#core/kernel/page';

declare const optional: unique symbol;

/** A member that may be absent. */
export type Optional<S> = S & { readonly [optional]: true };

type Members = Readonly<Record<string, Joi.AnySchema>>;

/** The type of what a schema lets through: `type BranchJson = TypeOf<typeof branchJson>`. */
export type TypeOf<S> =
  // By name first: taken apart as any schema, an object with a member `value` would be that member's type too.
  S extends Joi.ObjectSchema<infer T> ? T : S extends Joi.AnySchema<infer T> ? T : never;

type OptionalKeys<M> = { [K in keyof M]: M[K] extends Optional<unknown> ? K : never }[keyof M];
type TypeOfMembers<M> = { readonly [K in Exclude<keyof M, OptionalKeys<M>>]: TypeOf<M[K]> } & {
  readonly [K in OptionalKeys<M>]?: TypeOf<M[K]>;
};

/**
 * An object with exactly these members. Each is required, but those in `maybe` and those with a default, which are
 * always there once the schema has let a body through. The type has no name, so that messages show its members.
 *
 * @example
 * const labelJson = shape({ id: uuid(), name: text().max(50), color: orNull(text()) }).id('Label');
 * type LabelJson = TypeOf<typeof labelJson>;
 */
export const shape = <const M extends Members>(
  members: M,
): Joi.ObjectSchema<{ [K in keyof TypeOfMembers<M>]: TypeOfMembers<M>[K] }> =>
  Joi.object(Object.fromEntries(Object.entries(members).map(([name, member]) => [name, present(member)])));

/** Absent is good too. Goes last: `maybe(text().max(50))`. */
export const maybe = <S extends Joi.AnySchema>(schema: S): Optional<S> => schema.optional() as Optional<S>;

/**
 * `null` is good too: the member is there and says that there is none. Inside `maybe` where it may be absent as well.
 */
export const orNull = <S extends Joi.AnySchema>(
  schema: S extends Optional<unknown> ? never : S,
): Joi.AnySchema<TypeOf<S> | null> => schema.allow(null);

/** joi refuses two schemas of one id in an object: a named shape that stands there twice must stay one schema. */
const requiredForms = new WeakMap<Joi.AnySchema, Joi.AnySchema>();

function present(schema: Joi.AnySchema): Joi.AnySchema {
  if (schema.$_getFlag('presence') !== undefined || schema.$_getFlag('default') !== undefined) return schema;
  const required = requiredForms.get(schema) ?? schema.required();
  requiredForms.set(schema, required);
  return required;
}

/** Any text, the empty one too. Bound it with `.max` where it comes in. */
export const text = (): Joi.StringSchema => Joi.string().allow('');

/** Text that is not empty. */
export const word = (): Joi.StringSchema => Joi.string();

/** RFC 9562, in any case; lower case from here on. */
export const uuid = (): Joi.StringSchema => Joi.string().lowercase().pattern(uuidPattern, 'uuid');
/** A uuid in either case. */
export const uuidPattern = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;

/** An instant as RFC 3339 has it, in UTC. */
export const time = (): Joi.StringSchema => Joi.string().isoDate();

/**
 * A whole number from 0. joi's own check for numbers that are too large takes quadratic time on text (`/0+$/`), so the
 * bound stands in its place.
 */
export const count = (): Joi.NumberSchema => Joi.number().unsafe().integer().min(0).max(Number.MAX_SAFE_INTEGER);

/** In a body it must be a JSON boolean: add `.strict()`. */
export const flag = (): Joi.BooleanSchema => Joi.boolean();

/** One of these texts. */
export const oneOf = <const T extends string>(...values: readonly T[]): Joi.StringSchema<T> =>
  Joi.string<T>().valid(...values);

/**
 * A member that answers have and a body may not, refused as an unknown one with a sentence and a remedy of its own.
 * Goes first, so that it is named before what is missing in its place.
 *
 * @example
 *   shape({ owner: readOnly('owner cannot be changed here', 'Transfer the repository'), name: maybe(word()) });
 */
export const readOnly = (error: string, detail: string): Optional<Joi.AnySchema<never>> =>
  Joi.any()
    .forbidden()
    .error(() => new UnknownField(error, { detail }))
    .description('Refused in a body') as unknown as Optional<Joi.AnySchema<never>>;

/** A day of the calendar, YYYY-MM-DD; the first is that of PostgreSQL. */
export const day = (): Joi.StringSchema =>
  Joi.string()
    .pattern(/^\d{4}-\d{2}-\d{2}$/, 'day')
    .custom((value: string, helpers) => (isDate(value) && value >= '0001' ? value : helpers.error('string.isoDate')));

/** A list of such items; bound it with `.max` where it comes in. */
export const list = <S extends Joi.AnySchema>(item: S): Joi.ArraySchema<readonly TypeOf<S>[]> =>
  Joi.array<readonly TypeOf<S>[]>().items(item);

/** The two members of a query for a page; `readPage` makes numbers of them, by the rule of the list. */
export const pageQuery = {
  page: maybe(word().empty('').description('1-based; default 1')),
  per_page: maybe(word().empty('').description('1 to 100; default 25')),
} as const;

/** The page envelope: `items` and where they stand. */
export const pageOf = <S extends Joi.AnySchema>(item: S) =>
  shape({ items: list(item), total: count(), page: count(), per_page: count() });

/** A page as the envelope shows it. */
export const presentPage = <T, J>({ items, total, page, perPage }: Page<T>, present: (item: T) => J) => ({
  items: items.map(present),
  total,
  page,
  per_page: perPage,
});
