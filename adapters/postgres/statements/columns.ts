// The columns of a table, from its entity: names in queries, and rows with the names of the entity's members.
import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import type { InferEntityProperties, SnakeCase } from '@mikro-orm/postgresql';

/** A result of `defineEntity`. */
export interface TableEntity {
  readonly meta: object;
}

interface Meta {
  readonly tableName: string;
  readonly properties: Readonly<Record<string, { readonly primary?: boolean; readonly nullable?: boolean }>>;
}

const metaOf = ({ meta }: TableEntity): Meta => meta as Meta;
export const tableOf = (entity: TableEntity): string => metaOf(entity).tableName;
export const membersOf = (entity: TableEntity): readonly string[] => Object.keys(metaOf(entity).properties);
/** The members of the primary key. */
export const keyMembersOf = (entity: TableEntity): readonly string[] =>
  membersOf(entity).filter((member) => metaOf(entity).properties[member]?.primary === true);

/** Names columns as MikroORM does. */
const strategy = new UnderscoreNamingStrategy();
export const columnOf = (member: string): string => strategy.propertyToColumnName(member);

type MemberOf<E> = keyof InferEntityProperties<E> & string;
type Named<M extends string, A extends string> = M extends string ? `${A}.${SnakeCase<M>}` : never;
type Aliased<M extends string, A extends string, P extends string> = M extends string
  ? `${A}.${SnakeCase<M>} as ${P}${M}`
  : never;

/**
 * The columns of an entity, for `select` in a query whose rows another query reads: `i.created_at`.
 *
 * @param alias The alias of the table in the query.
 */
export const columnNames = <E extends TableEntity, A extends string, X extends MemberOf<E> = never>(
  entity: E,
  alias: A,
  { except = [] }: { readonly except?: readonly X[] } = {},
): readonly Named<Exclude<MemberOf<E>, X>, A>[] =>
  membersOf(entity)
    .filter((member) => !except.some((left) => left === member))
    .map((member) => `${alias}.${columnOf(member)}`) as Named<Exclude<MemberOf<E>, X>, A>[];

/**
 * The columns of an entity with the names of its members, for `select`: `i.created_at as createdAt`. A row then has the
 * members of the entity, so a new member needs no other line. `nesting` has an example.
 *
 * @param alias The alias of the table in the query.
 * @param options `except` leaves members out. `under: 'author'` names the columns `author.createdAt`, for `nested`.
 */
export const columnsOf = <
  E extends TableEntity,
  A extends string,
  X extends MemberOf<E> = never,
  U extends string = never,
>(
  entity: E,
  alias: A,
  { except = [], under }: { readonly except?: readonly X[]; readonly under?: U } = {},
): readonly Aliased<Exclude<MemberOf<E>, X>, A, [U] extends [never] ? '' : `${U}.`>[] =>
  membersOf(entity)
    .filter((member) => !except.some((left) => left === member))
    .map((member) => `${alias}.${columnOf(member)} as ${under === undefined ? '' : `${under}.`}${member}`) as never;

type Prefix<Row> = keyof Row extends infer K ? (K extends `${infer P}.${string}` ? P : never) : never;
type Under<Row, P extends string> = { readonly [M in keyof Row as M extends `${P}.${infer N}` ? N : never]: Row[M] };
type Joined<O> = O extends { readonly id: infer Id }
  ? null extends Id
    ? { readonly [M in keyof O]: NonNullable<O[M]> } | null
    : O
  : O;
/** A row whose columns `author.username` are members of an object `author`. */
export type Nested<Row> = { readonly [M in keyof Row as M extends `${string}.${string}` ? never : M]: Row[M] } & {
  readonly [P in Prefix<Row>]: Joined<Under<Row, P>>;
};

/** A function that makes a query, and the rows of that query. */
type QueryOf = (...parameters: never[]) => { executeTakeFirstOrThrow(): Promise<object> };
type RowOf<Q extends QueryOf> = Awaited<ReturnType<ReturnType<Q>['executeTakeFirstOrThrow']>>;

/**
 * Makes the function that gathers the columns of joined tables in objects, for the rows of one query. An object whose
 * `id` is null, of a left join without a match, is null.
 *
 * The function is compiled from the columns of the first row: copying a row in a loop takes 50 times as long.
 *
 * @example
 *   const RingTable = defineEntity({
 *     name: 'bell_tower.Ring',
 *     tableName: 'bell_tower_ring',
 *     properties: { id: p.uuid().primary(), ringerId: p.uuid(), rungAt: p.datetime() },
 *   });
 *   const query = (db: Kysely<InferKyselyDB<typeof RingTable> & IdentityViews>) =>
 *     db
 *       .selectFrom('bell_tower_ring as r')
 *       .innerJoin('identity_public_user as u', 'u.id', 'r.ringer_id')
 *       .select(columnsOf(RingTable, 'r'))
 *       .select(publicUserColumns('u', 'ringer'));
 *   const ring = nesting<typeof query>(); // to { id, ringerId, rungAt, ringer: { id, username, … } }
 *   const rings = async (database: SqlDatabase) => (await query(database.kysely()).execute()).map(ring);
 */
export function nesting<Q extends QueryOf>(): (row: RowOf<Q>) => Nested<RowOf<Q>> {
  let gather: ((row: RowOf<Q>) => Nested<RowOf<Q>>) | undefined;
  return (row) => (gather ??= compiled<RowOf<Q>>(Object.keys(row)))(row);
}

function compiled<Row extends object>(columns: readonly string[]): (row: Row) => Nested<Row> {
  // Every name becomes source text.
  const wrong = columns.find((name) => !/^[a-z]\w*(\.[a-z]\w*)?$/i.test(name));
  if (wrong !== undefined) throw new Error(`the column "${wrong}" is not named as a member`);
  const members = (names: readonly string[]): string =>
    names.map((name) => `${name.slice(name.indexOf('.') + 1)}: row['${name}']`).join(', ');
  const joined = Map.groupBy(
    columns.filter((name) => name.includes('.')),
    (name) => name.slice(0, name.indexOf('.')),
  );
  const objects = [...joined].map(([object, names]) => {
    const missing = names.includes(`${object}.id`) ? `row['${object}.id'] === null ? null : ` : '';
    return `${object}: ${missing}{ ${members(names)} }`;
  });
  const own = columns.filter((name) => !name.includes('.')).map((name) => `${name}: row.${name}`);
  // oxlint-disable-next-line typescript/no-implied-eval -- The names were checked.
  return new Function('row', `return { ${[...own, ...objects].join(', ')} };`) as (row: Row) => Nested<Row>;
}
