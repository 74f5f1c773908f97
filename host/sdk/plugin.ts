// "hexforge/plugin": all that a plugin author imports.
export { default as Joi } from 'joi';
export { defineEntity, p, sql } from '@mikro-orm/core';
export { sql as rawSql } from 'kysely';
export type { InferKyselyDB } from '@mikro-orm/postgresql';
export type { ExpressionBuilder, Generated, Kysely, Selectable } from 'kysely';
export * from '#core/kernel/index';
export { entityTag } from '#adapters/http/etag';
export * from '#adapters/http/route';
export { compiledRead } from '#adapters/postgres/compiled-read';
export type { Migration, SqlDatabase } from '#adapters/postgres/database';
export type { MemoryDatabase, MemoryTable } from '#adapters/memory/database';
export * from '#host/definition';
