// The plugin "audit": the audit log, whose entries are written in the same transaction as the recorded change.
import { definePlugin } from 'hexforge/plugin';
import { auditLog, auditReading } from '#core/audit/use-cases';
import { auditExport, auditMenu, auditPages } from './entries/pages.ts';
import { entryRoutes } from './entries/routes.ts';
import { memoryAuditStore } from './entries/store-memory.ts';
import { auditTrail, sqlAuditStore } from './entries/store.ts';
import { migrations } from './migrations.ts';
import { CountTable, EntryTable } from './tables.ts';

export default definePlugin({
  name: 'audit',
  version: '0.1.0',
  api: '^0.2.0',
  needs: ['Clock', 'UnitOfWork'],
  stores: {
    entries: { sql: sqlAuditStore, memory: memoryAuditStore },
    trail: auditTrail,
  },
  entities: [EntryTable, CountTable],
  tables: ['audit_entry', 'audit_count'],
  migrations,
  build: ({ stores: { entries: store }, UnitOfWork: unitOfWork }) => ({
    log: auditLog({ store, unitOfWork }),
    reading: auditReading({ store }),
  }),
  provides: { AuditLog: ({ log }) => log, AuditTrail: (_parts, { stores }) => stores.trail },
  routes: ({ reading }) => [...entryRoutes(reading), auditExport(reading)],
  pages: ({ reading }) => auditPages(reading),
  menu: ({ reading }) => [auditMenu(reading)],
  jobs: (_parts, { stores, Clock: clock, UnitOfWork: unitOfWork }) => [
    {
      name: 'count-up',
      everySeconds: 600,
      run: () => unitOfWork.run(() => stores.entries.countUp(clock.now())),
    },
  ],
});
