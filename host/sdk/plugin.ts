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
import '#core/mcp/index';
import '#core/merges/index';
import '#core/oauth/index';
import '#core/planning/index';
import '#core/repositories/index';
import '#core/search/index';
import '#core/settings/index';
export { sendTo } from '#adapters/http/descriptor/browser-steps';
export { entityTag } from '#adapters/http/reply/json-text';
export { channel, type ChannelMessage, type ChannelSpec, type LiveChannel } from '#adapters/http/live/channel';
export { deprecation } from '#adapters/http/descriptor/deprecation';
export {
  html,
  HtmlPage,
  pageHeaders,
  type Html,
  type HtmlPiece,
  type FileSubject,
  type PageSubject,
  type ThingSubject,
} from '#adapters/http/descriptor/html';
export { camelCased, presenter, type CamelCased, type Presentable } from '#adapters/http/descriptor/members';
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
  type JsonBody,
  type Method,
  type RawBody,
  type ReplyOptions,
  type Route,
  type RouteSpec,
} from '#adapters/http/descriptor/route';
export * from '#adapters/http/descriptor/shape';
export { file, UploadedFile } from '#adapters/http/descriptor/uploaded-file';
export { compiledRead } from '#adapters/postgres/statements/compiled-read';
export { columnNames, columnsOf, nesting, type Nested } from '#adapters/postgres/statements/columns';
export { countEach, countOf } from '#adapters/postgres/statements/counts';
export type { Migration, SqlDatabase } from '#adapters/postgres/statements/database';
export { publicUserColumns, publicUserJson } from '#adapters/postgres/statements/public-users';
export { replaceRows } from '#adapters/postgres/statements/rows';
export { linearPattern, type LinearPattern } from '../ready-made/linear-pattern.ts';
export { numberedIndexer, type NumberedIndexerSpec, type Titled } from '../ready-made/numbered-indexer.ts';
export type { Numbers } from '#core/kernel/storage/numbers';
export { numbers } from '../ready-made/numbers.ts';
export { presentUser, publicUsers, userShape } from '../ready-made/people.ts';
export {
  cursorArgument,
  listCursor,
  listLimit,
  nextCursor,
  type ListCursor,
  type Position,
} from '../ready-made/tool-lists.ts';
export { rows, storeOf, type RowConstraints, type TableRows } from '../ready-made/rows.ts';
export type { MemoryDatabase, MemoryTable } from '#adapters/memory/database';
export {
  indexer,
  type IndexDocument,
  type Indexer,
  type IndexerRegistry,
  type IndexerSpec,
  type IndexQueue,
  type TouchedDocument,
} from '#host/plugin/indexers';
export {
  form,
  page,
  type DashboardCard,
  type FormSpec,
  type MenuEntry,
  type PageForm,
  type PageRegistry,
  type PageSpec,
  type RefusedForm,
  type Registered,
  type RepositoryTab,
  type SidePanel,
  type WebPage,
} from '#host/plugin/pages';
export type {
  FoundReference,
  MarkdownContext,
  Markup,
  MarkupRepository,
  PlainText,
  ReferenceFinder,
  ReferencePlace,
} from '#host/plugin/markup';
export type { Around, PageDocument, PageFrame } from '#adapters/http/descriptor/page-frame';
export { tool, type Tool, type ToolRegistry, type ToolSpec } from '#host/plugin/tools';
export * from '#host/plugin/definition';
