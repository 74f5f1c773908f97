// The module "hexforge/plugin": everything that a plugin author imports.
export { default as Joi } from 'joi';
export { defineEntity, p, sql } from '@mikro-orm/core';
export { sql as rawSql } from 'kysely';
export type { InferKyselyDB } from '@mikro-orm/postgresql';
export type { ExpressionBuilder, Generated, Kysely, Selectable } from 'kysely';
export * from '#core/kernel/index';
// Areas declare their ports, events, permissions and scopes; their types and rules are exported by hexforge/<area>.
import '#core/administration/index';
import '#core/audit/index';
import '#core/identity/index';
import '#core/issues/index';
import '#core/limits/index';
import '#core/merges/index';
import '#core/oauth/index';
import '#core/planning/index';
import '#core/repositories/index';
import '#core/settings/index';
export { entityTag } from '#adapters/http/reply/etag';
export { channel, type ChannelMessage, type ChannelSpec, type LiveChannel } from '#adapters/http/live/channel';
export { html, HtmlPage, type Html, type HtmlPiece } from '#adapters/http/descriptor/html';
export { operations, type Noun, type OperationAccess, type Operations } from '#adapters/http/descriptor/operations';
export {
  api,
  ByteStream,
  reply,
  Reply,
  tagged,
  Tagged,
  type Cookie,
  type Input,
  type Method,
  type RawBody,
  type ReplyOptions,
  type Route,
  type RouteSpec,
} from '#adapters/http/descriptor/route';
export * from '#adapters/http/descriptor/shape';
export { compiledRead } from '#adapters/postgres/statements/compiled-read';
export { columnNames, columnsOf, nesting, type Nested } from '#adapters/postgres/statements/columns';
export { countEach, countOf } from '#adapters/postgres/statements/counts';
export type { Migration, SqlDatabase } from '#adapters/postgres/statements/database';
export { publicUserColumns, publicUserJson } from '#adapters/postgres/statements/public-users';
export { replaceRows } from '#adapters/postgres/statements/replace-rows';
export { numberedIndexer, type NumberedIndexerSpec, type Titled } from './numbered-indexer.ts';
export { numbers, type Numbers } from './numbers.ts';
export { presentUser, publicUsers, userShape } from './people.ts';
export { rows, storeOf, type RowConstraints, type TableRows } from './rows.ts';
export type { MemoryDatabase, MemoryTable } from '#adapters/memory/database';
export {
  indexer,
  type IndexChange,
  type IndexDocument,
  type Indexer,
  type IndexerRegistry,
  type IndexerSpec,
} from '#host/contributions/indexers';
export { page, type PageContent, type PageRegistry, type PageSpec, type WebPage } from '#host/contributions/pages';
export { tool, type Tool, type ToolRegistry, type ToolSpec } from '#host/contributions/tools';
export * from '#host/definition';
