// Implements `Rows` for one table in PostgreSQL: kysely reads straight into rows, writes run in the unit of work.
import { UnderscoreNamingStrategy, type EntityName, type FilterQuery } from '@mikro-orm/core';
import { sql, type Kysely } from 'kysely';
import { offsetOf } from '#core/kernel/page';
import type { RowQuery, Rows, RowSet } from '#core/kernel/storage/rows';
import { countOf } from './counts.ts';
import type { SqlDatabase } from './database.ts';

interface EntityMeta {
  readonly tableName: string;
  readonly properties: object;
}

export const tableOf = ({ meta }: { readonly meta: object }): string => (meta as EntityMeta).tableName;

/** Any table. */
type Columns = Record<string, Record<string, unknown>>;

/** @param entity with the key `id`, and with columns named as MikroORM names its members. */
export function sqlRows<Row extends { readonly id: string }>(
  database: SqlDatabase,
  entity: { readonly meta: object },
): Rows<Row> {
  const { tableName, properties } = entity.meta as EntityMeta;
  const name = entity as unknown as EntityName<Row>;
  const members = Object.keys(properties);
  const columns = members.map((member) => `${columnOf(member)} as ${member}` as const);
  const db = (): Kysely<Columns> => database.kysely<Columns>();
  const equals = ([member, value]: readonly [string, unknown]) => {
    const column = sql.ref(columnOf(member));
    return value === null ? sql<boolean>`${column} is null` : sql<boolean>`${column} = ${value}`;
  };
  const matching = (
    where: Readonly<Partial<Row>>,
    { among = {}, after, orderBy = [] }: Partial<RowQuery<Row>> = {},
  ) => {
    const matched = Object.entries<readonly unknown[]>(among as Readonly<Record<string, readonly unknown[]>>).reduce(
      (query, [member, values]) =>
        values.length === 0 ? query.where(sql<boolean>`false`) : query.where(columnOf(member), 'in', [...values]),
      Object.entries(where).reduce((query, pair) => query.where(equals(pair)), db().selectFrom(tableName)),
    );
    if (after === undefined) return matched;
    const members = orderBy.filter((term) => typeof term === 'string');
    const columns = sql.join(members.map((member) => sql.ref(columnOf(member))));
    return matched.where(sql<boolean>`(${columns}) > (${sql.join(members.map((member) => after[member]))})`);
  };
  const ordered = (query: RowQuery<Row>) =>
    query.orderBy.reduce(
      (rows, term) =>
        typeof term === 'string' ? rows.orderBy(columnOf(term)) : rows.orderBy(columnOf(term.desc), 'desc'),
      matching(query.where, query).select(columns),
    );
  const one = (where: Readonly<Partial<Row>>) => matching(where).select(columns).limit(1);
  /** Locks the row until the unit of work ends, so that it cannot change between the read and the write. */
  const held = async (where: Readonly<Partial<Row>>): Promise<Row | undefined> =>
    (await one(where).forNoKeyUpdate().executeTakeFirst()) as Row | undefined;
  /** The condition that names a single row. A condition with an id needs no read. */
  const naming = async (where: Readonly<Partial<Row>>): Promise<Readonly<Partial<Row>> | undefined> => {
    if (where.id !== undefined) return where;
    const found = await held(where);
    return found && ({ id: found.id } as Partial<Row>);
  };
  /** Undefined if a list of `among` is empty, so that no row matches. */
  const filterOf = ({ where, among = {} }: RowSet<Row>): FilterQuery<Row> | undefined => {
    const lists = Object.entries<readonly unknown[]>(among as Readonly<Record<string, readonly unknown[]>>);
    if (lists.some(([, values]) => values.length === 0)) return undefined;
    return { $and: [where, ...lists.map(([member, values]) => ({ [member]: { $in: values } }))] } as FilterQuery<Row>;
  };
  return {
    async insert(row) {
      await database.em().insert(name, row);
      return row;
    },
    async update(where, patch) {
      if (Object.keys(patch).length === 0) return held(where);
      const named = await naming(where);
      if (named === undefined) return undefined;
      const [changed] = await database
        .em()
        .createQueryBuilder(name)
        .update(patch)
        .where(named as never)
        .returning(members as never)
        .execute<Record<string, unknown>[]>('all', { mapResults: false });
      return changed && (Object.fromEntries(members.map((member) => [member, changed[columnOf(member)]])) as Row);
    },
    async delete(where) {
      const named = await naming(where);
      if (named === undefined) return undefined;
      const deleting = Object.entries(named).reduce(
        (query, pair) => query.where(equals(pair)),
        db().deleteFrom(tableName),
      );
      return (await deleting.returning(columns).executeTakeFirst()) as Row | undefined;
    },
    async insertMany(rows) {
      if (rows.length > 0) await database.em().insertMany(name, [...rows]);
    },
    async updateMany(rows, patch) {
      const filter = filterOf(rows);
      if (filter !== undefined) await database.em().nativeUpdate(name, filter, patch);
    },
    async deleteMany(rows) {
      const filter = filterOf(rows);
      if (filter !== undefined) await database.em().nativeDelete(name, filter);
    },
    async findOne(where) {
      return (await one(where).executeTakeFirst()) as Row | undefined;
    },
    async find(query, how) {
      const found = ordered(query);
      return (await (how === 'held' ? found.forKeyShare() : found).execute()) as unknown as readonly Row[];
    },
    async count(where, how) {
      // The lock is a separate statement, so that the count sees the rows that earlier holders of the lock have
      // committed.
      if (how === 'held') {
        const turn = `${tableName} ${JSON.stringify(where)}`;
        await sql`select pg_advisory_xact_lock(hashtextextended(${turn}, 0))`.execute(db());
      }
      return countOf(matching(where));
    },
    async page(query, page) {
      // Counted first: rows may be large, and would stay in memory while the count waits for a connection.
      const total = await countOf(matching(query.where, query));
      const items = (await ordered(query)
        .limit(page.perPage)
        .offset(offsetOf(page))
        .execute()) as unknown as readonly Row[];
      return { items, total, ...page };
    },
  };
}

/** Names columns as MikroORM does. */
const strategy = new UnderscoreNamingStrategy();
const columnOf = (member: string): string => strategy.propertyToColumnName(member);
