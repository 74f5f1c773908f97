// Converts between things, whose members are in camelCase, and JSON, whose members are in snake_case.
import type Joi from 'joi';

type Camel<S> = S extends `${infer Word}_${infer Rest}` ? `${Word}${Capitalize<Camel<Rest>>}` : S;

/** A member of JSON to a member of a thing, where the name in camelCase is not the one. */
type Names = Readonly<Record<string, string>>;
type NameOf<M, N extends Names> = M extends keyof N ? N[M] : Camel<M>;

/** The members of a body under their names in camelCase, or those in `N`. */
export type CamelCased<B, N extends Names = Record<never, never>> = { [M in keyof B as NameOf<M, N>]: B[M] };

/** A value that `presenter` converts to `V`. A time may be a `Date`, and an absent member null or undefined. */
export type Presentable<V, N extends Names = Record<never, never>> = V extends string
  ? string extends V
    ? string | Date
    : V
  : V extends readonly (infer Item)[]
    ? readonly Presentable<Item>[]
    : V extends object
      ? { readonly [M in keyof V as NameOf<M, N>]: PresentableMember<V, M> }
      : V;
type PresentableMember<V, M extends keyof V> =
  Record<never, never> extends Pick<V, M> ? Presentable<NonNullable<V[M]>> | null | undefined : Presentable<V[M]>;

const camelCase = (member: string): string =>
  member.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Renames the members of a body to camelCase. Absent members stay absent, and values are unchanged.
 *
 * @example
 *   const command: { readonly dueDate: string | null } = camelCased({ due_date: null });
 *
 * @param names other names for some of the members.
 */
export const camelCased = <B extends object, const N extends Names = Record<never, never>>(
  body: B,
  names?: N,
): CamelCased<B, N> =>
  Object.fromEntries(
    Object.entries(body).map(([member, value]) => [names?.[member] ?? camelCase(member), value as unknown]),
  ) as CamelCased<B, N>;

/**
 * Makes the function that converts a thing to JSON of this shape. The JSON has the members of the shape and no others.
 * Each has the value of the thing's member of the same name in camelCase; a `Date` becomes a text.
 *
 * @example
 *   const bellJson = shape({ id: uuid(), rung_at: orNull(time()) }).id('Bell');
 *   const presentBell = presenter(bellJson);
 *   const json: { readonly rung_at: string | null } = presentBell({ id: '1', rungAt: new Date() });
 *
 * @param names other names for some of the thing's members.
 */
export const presenter = <J extends object, const N extends Names = Record<never, never>>(
  schema: Joi.ObjectSchema<J>,
  names?: N,
): ((thing: Presentable<J, N>) => J) => converter(schema.describe(), names) as (thing: Presentable<J, N>) => J;

/** The part of a schema's description that determines the conversion. */
interface Described {
  readonly keys?: Readonly<Record<string, Described>>;
  readonly items?: readonly Described[];
  readonly flags?: { readonly presence?: string };
  readonly rules?: readonly { readonly name: string }[];
}

/** Undefined if values of the schema are presented unchanged. */
function converter({ keys, items, rules }: Described, names: Names = {}): ((value: unknown) => unknown) | undefined {
  if (rules?.some(({ name }) => name === 'isoDate') === true)
    return (value) => (value instanceof Date ? value.toISOString() : value);
  const convertItem = items?.[0] && converter(items[0]);
  if (convertItem !== undefined) return (value) => value && (value as readonly unknown[]).map(convertItem);
  if (keys === undefined) return undefined;
  const members = Object.entries(keys).map(([member, described]) => ({
    member,
    from: names[member] ?? camelCase(member),
    required: described.flags?.presence === 'required',
    convert: converter(described),
  }));
  return (thing) => {
    if (thing === null) return null;
    const json: Record<string, unknown> = {};
    for (const { member, from, required, convert } of members) {
      const value = (thing as Readonly<Record<string, unknown>>)[from];
      if (required || (value ?? undefined) !== undefined) json[member] = convert === undefined ? value : convert(value);
    }
    return json;
  };
}
