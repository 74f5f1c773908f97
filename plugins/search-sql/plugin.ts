// The plugin "search-sql": the index of the site-wide search in the forge's own database.
import { definePlugin } from 'hexforge/plugin';
import { migrations, tables } from './migrations.ts';
import { memorySearchIndex } from './store-memory.ts';
import { sqlSearchIndex } from './store.ts';

export default definePlugin({
  name: 'search-sql',
  version: '0.1.0',
  api: '^0.2.0',
  // The queries join the readable repositories, which the plugin behind this port publishes.
  needs: ['UnitOfWork', 'Repositories'],
  stores: { open: { sql: sqlSearchIndex, memory: memorySearchIndex } },
  tables,
  references: ['repositories_public_repository', 'repositories_repository'],
  migrations,
  build: ({ stores, UnitOfWork: unitOfWork }) => stores.open(unitOfWork),
  provides: { SearchBackend: (backend) => backend },
});
