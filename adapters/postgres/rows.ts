// Rows of one table in PostgreSQL: reads by kysely straight into rows, writes in the unit of work.
import type { EntityName, InferEntity } from '@mikro-orm/core';
import type { Kysely } from 'kysely';
import type { RowQuery, Rows } from '#core/kernel/rows';
import type { SqlDatabase } from './database.ts';

/** Any table. */
type Columns = Record<string, Record<string, unknown>>;

/** @param entity one whose columns have the names of its members in snake case. */
export function sqlRows<E extends { readonly meta: object }>(
  database: SqlDatabase,
  entity: E,
): Rows<InferEntity<E> & object> {
  type Row = InferEntity<E> & object;
  const { tableName, properties } = entity.meta as { readonly tableName: string; readonly properties: object };
  const name = entity as unknown as EntityName<object>;
  const columns = Object.keys(properties).map((member) => `${columnOf(member)} as ${member}` as const);
  const matching = (where: Readonly<Partial<Row>>) =>
    Object.entries(where).reduce(
      (query, [member, value]) =>
        value === null ? query.where(columnOf(member), 'is', null) : query.where(columnOf(member), '=', value),
      (database.kysely<Columns>() as Kysely<Columns>).selectFrom(tableName),
    );
  const ordered = ({ where, orderBy }: RowQuery<Row>) =>
    orderBy.reduce(
      (query, term) =>
        typeof term === 'string' ? query.orderBy(columnOf(term)) : query.orderBy(columnOf(term.desc), 'desc'),
      matching(where).select(columns),
    );
  return {
    async insert(row) {
      await database.em().insert(name, row);
    },
    async update(where, patch) {
      return (await database.em().nativeUpdate(name, where, patch)) > 0;
    },
    async delete(where) {
      return (await database.em().nativeDelete(name, where)) > 0;
    },
    async findOne(where) {
      return (await matching(where).select(columns).limit(1).executeTakeFirst()) as Row | undefined;
    },
    async find(query) {
      return (await ordered(query).execute()) as unknown as readonly Row[];
    },
    async page(query, { page, perPage }) {
      const items = (await ordered(query)
        .limit(perPage)
        .offset((page - 1) * perPage)
        .execute()) as unknown as readonly Row[];
      const { total } = await matching(query.where)
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      return { items, total, page, perPage };
    },
  };
}

/** As MikroORM names a column by its member. */
const columnOf = (member: string): string => member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
