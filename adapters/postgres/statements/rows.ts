// Implements `Rows` for one table in PostgreSQL: kysely reads straight into rows, writes run in the unit of work.
import type { EntityName, FilterQuery, RequiredEntityData } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql, type Kysely } from 'kysely';
import { offsetOf } from '#core/kernel/page';
import type { RangeBound, RowQuery, Rows, RowSet } from '#core/kernel/storage/rows';
import { columnOf, keyMembersOf, membersOf, tableOf, type TableEntity } from './columns.ts';
import { countOf } from './counts.ts';
import type { SqlDatabase } from './database.ts';

/** Any table. */
type Columns = Record<string, Record<string, unknown>>;

/** @param entity whose columns are named as MikroORM names its members. */
export function sqlRows<Row extends object>(database: SqlDatabase, entity: TableEntity): Rows<Row> {
  const tableName = tableOf(entity);
  const name = entity as unknown as EntityName<Row>;
  const members = membersOf(entity);
  const key = keyMembersOf(entity) as readonly (keyof Row & string)[];
  const columns = members.map((member) => `${columnOf(member)} as ${member}` as const);
  const db = (): Kysely<Columns> => database.kysely<Columns>();
  const equals = ([member, value]: readonly [string, unknown]) => {
    const column = sql.ref(columnOf(member));
    return value === null ? sql<boolean>`${column} is null` : sql<boolean>`${column} = ${value}`;
  };
  const matching = (
    where: Readonly<Partial<Row>>,
    { among = {}, ranges = {}, after, orderBy = [] }: Partial<RowQuery<Row>> = {},
  ) => {
    const listed = Object.entries<readonly unknown[]>(among as Readonly<Record<string, readonly unknown[]>>).reduce(
      (query, [member, values]) =>
        values.length === 0 ? query.where(sql<boolean>`false`) : query.where(columnOf(member), 'in', [...values]),
      Object.entries(where).reduce((query, pair) => query.where(equals(pair)), db().selectFrom(tableName)),
    );
    const matched = boundsOf(ranges).reduce(
      (query, [member, bound, limit]) =>
        query.where(sql<boolean>`${sql.ref(columnOf(member))} ${sql.raw(bound)} ${limit}`),
      listed,
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
  /** The condition that names a single row. A condition with the key needs no read. */
  const naming = async (where: Readonly<Partial<Row>>): Promise<Readonly<Partial<Row>> | undefined> => {
    if (key.every((member) => where[member] !== undefined)) return where;
    const found = await held(where);
    return found && (Object.fromEntries(key.map((member) => [member, found[member]])) as unknown as Partial<Row>);
  };
  const hold = async (where: Readonly<Partial<Row>>): Promise<void> => {
    const turn = `${tableName} ${JSON.stringify(where)}`;
    await sql`select pg_advisory_xact_lock(hashtextextended(${turn}, 0))`.execute(db());
  };
  /** Undefined if a list of `among` is empty, so that no row matches. */
  const filterOf = ({ where, among = {}, ranges = {} }: RowSet<Row>): FilterQuery<NoInfer<Row>> | undefined => {
    const lists = Object.entries<readonly unknown[]>(among as Readonly<Record<string, readonly unknown[]>>);
    if (lists.some(([, values]) => values.length === 0)) return undefined;
    return {
      $and: [
        where,
        ...lists.map(([member, values]) => ({ [member]: { $in: values } })),
        ...boundsOf(ranges).map(([member, bound, limit]) => ({ [member]: { [filterOperators[bound]]: limit } })),
      ],
    } as FilterQuery<NoInfer<Row>>;
  };
  return {
    async insert(row) {
      await database.em().insert(name, row);
      return row;
    },
    async addMany(rows) {
      if (rows.length === 0) return 0;
      const inserting = database
        .em()
        .createQueryBuilder(name)
        .insert(rows as never);
      return (
        await inserting
          .onConflict(key as never)
          .ignore()
          .execute('run')
      ).affectedRows;
    },
    async put(row) {
      await database.em().upsert(name, row as never);
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
    replace: (where, rows) => replaceRows(database.em(), name, where as Partial<Row>, rows),
    async findOne(where) {
      return (await one(where).executeTakeFirst()) as Row | undefined;
    },
    async find(query, how) {
      const { limit, offset } = query;
      const found = ordered(query)
        .$if(limit !== undefined, (all) => all.limit(limit ?? 0))
        .$if(offset !== undefined, (all) => all.offset(offset ?? 0));
      return (await (how === 'held' ? found.forKeyShare() : found).execute()) as unknown as readonly Row[];
    },
    async count(where, how) {
      // The lock is a separate statement, so that the count sees the rows that earlier holders of the lock have
      // committed.
      if (how === 'held') await hold(where);
      return countOf(matching(where));
    },
    hold,
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

const filterOperators = { '<': '$lt', '<=': '$lte', '>': '$gt', '>=': '$gte' } as const satisfies Record<
  RangeBound,
  string
>;

const isBound = (text: string): text is RangeBound => Object.hasOwn(filterOperators, text);

/** The bounds of all ranges. Only the four operators become SQL. */
const boundsOf = (ranges: object): readonly (readonly [member: string, bound: RangeBound, limit: unknown])[] =>
  Object.entries<object | undefined>(ranges as Readonly<Record<string, object | undefined>>).flatMap(
    ([member, range = {}]) =>
      Object.entries<unknown>(range as Readonly<Record<string, unknown>>).flatMap(([bound, limit]) =>
        limit === undefined || !isBound(bound) ? [] : [[member, bound, limit] as const],
      ),
  );

/**
 * Replaces a set that is stored as rows, such as the labels of an issue. Call it in a unit of work that has locked the
 * owner of the rows. Runs two statements, however many rows there are.
 * @param owner the members that all rows have in common: the key of their owner.
 * @param rows the members that distinguish the rows.
 */
export async function replaceRows<E extends object>(
  em: EntityManager,
  entity: EntityName<E>,
  owner: Partial<E>,
  rows: readonly Partial<E>[],
): Promise<void> {
  await em.nativeDelete<E>(entity, owner as FilterQuery<NoInfer<E>>);
  if (rows.length === 0) return;
  await em.insertMany<E>(entity, rows.map((row) => ({ ...owner, ...row })) as unknown as RequiredEntityData<E>[]);
}
