// The audit log: entries written in the same transaction as the change they record.
import { definePlugin } from 'hexforge/plugin';
import { auditLog } from '#core/audit/use-cases';
import { memoryAuditStore } from './entries/store-memory.ts';
import { migrations } from './migrations.ts';
import { sqlAuditStore } from './entries/store.ts';
import { EntryTable } from './tables.ts';

export default definePlugin({
  name: 'audit',
  version: '0.1.0',
  api: '^0.2.0',
  needs: ['UnitOfWork'],
  stores: { entries: { sql: sqlAuditStore, memory: memoryAuditStore } },
  entities: [EntryTable],
  tables: ['audit_entry'],
  migrations,
  build: ({ stores, UnitOfWork }) => auditLog({ store: stores.entries, unitOfWork: UnitOfWork }),
  provides: { AuditLog: (log) => log },
});
