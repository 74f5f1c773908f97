// The plugin "search": the site-wide search, and the indexing of files and documents.
import { count, definePlugin, linearPattern, on, shape } from 'hexforge/plugin';
import { searchAudits, searchScopes, searchSettings } from 'hexforge/search';
import { searchUseCases } from '#core/search/use-cases';
import { treeSitterSymbols } from '#adapters/tree-sitter/index';
import { indexingMenu, indexingPages } from './indexing/pages.ts';
import { indexingRoutes } from './indexing/routes.ts';
import { migrations, tables } from './migrations.ts';
import { definitionPages } from './pages/definition-page.ts';
import { boxMenu, searchPages } from './pages/search-page.ts';
import { symbolsPanel } from './pages/symbols-panel.ts';
import { searchRoutes } from './site/routes.ts';
import { queueRows, QueueTable } from './tables.ts';
import { searchTools } from './tools.ts';

const mebibyte = 1024 * 1024;
/** Seconds of one run of the indexing. */
const runSeconds = 30;

export default definePlugin({
  name: 'search',
  version: '0.1.0',
  api: '^0.2.0',
  config: shape({
    max_repository_mb: count()
      .min(1)
      .max(100_000)
      .default(2048)
      .description('MiB of text files; the files of a repository with more are not searched'),
    index_seconds: count()
      .min(1)
      .max(86_400)
      .default(1)
      .description('Seconds between two looks at the queue of what has to be indexed'),
  }),
  needs: [
    'AuditLog',
    'Repositories',
    'GitBackend',
    'SearchBackend',
    'IndexerRegistry',
    'ScopeCatalogue',
    'Settings',
    'Clock',
    'Ids',
    'UnitOfWork',
  ],
  stores: { queue: queueRows },
  entities: [QueueTable],
  tables,
  migrations,
  settings: searchSettings,
  scopes: searchScopes,
  audits: searchAudits,
  build: ({ stores, config, log, ...context }) => {
    const symbols = treeSitterSymbols({ log });
    return {
      symbols,
      ...searchUseCases({
        queue: stores.queue,
        newVersion: () => context.Ids.uuid(),
        backend: () => context.SearchBackend,
        sections: () => context.IndexerRegistry.indexers().map(({ indexer }) => indexer),
        repositories: context.Repositories,
        git: context.GitBackend,
        compilePattern: linearPattern,
        symbols,
        scopes: context.ScopeCatalogue,
        settings: context.Settings,
        audit: context.AuditLog,
        unitOfWork: context.UnitOfWork,
        clock: context.Clock,
        log,
        mostBytes: config.max_repository_mb * mebibyte,
      }),
    };
  },
  provides: {
    SearchIndexing: ({ progress }) => progress,
    IndexQueue: ({ touched }) => ({
      async touched(section, documents) {
        for (const { repositoryId, key = '' } of documents) await touched({ section, repositoryId, key });
      },
    }),
  },
  routes: (useCases, { instance }) => [...searchRoutes(useCases, instance), ...indexingRoutes(useCases)],
  pages: (useCases) => [...searchPages(useCases), ...definitionPages(useCases), ...indexingPages(useCases)],
  menu: () => [boxMenu, indexingMenu],
  panels: ({ symbols }, context) => [symbolsPanel(() => context.SearchBackend, symbols)],
  tools: searchTools,
  events: ({ filesTouched }) => [
    on(['push', 'repository.created', 'repository.updated', 'repository.deleted'], {
      name: 'index-files',
      delivery: 'durable',
      handle: async ({ payload }) => filesTouched(payload.repository_id),
    }),
  ],
  probes: ({ progress }) => [
    {
      name: 'index',
      check: async () => undefined,
      async details() {
        const { waiting, lagSeconds, failing, rebuilding } = await progress.state();
        return { waiting, lag_seconds: lagSeconds, failing, rebuilding };
      },
    },
  ],
  jobs: ({ indexing }, { config }) => [
    { name: 'index', everySeconds: config.index_seconds, run: (signal) => indexing.work(signal, runSeconds * 1000) },
    { name: 'compare', everySeconds: 60, run: () => indexing.compare() },
  ],
  // A back end that is down does not stop the start: the job compares again.
  start: ({ indexing }, { log }) =>
    indexing.compare().catch((error: unknown) => log.warn({ err: error }, 'the search index could not be compared')),
  stop: ({ symbols }) => symbols.stop(),
});
