// The tables of the audit log. Actors are plain ids, because entries remain when accounts are deleted.
import { defineEntity, p, type InferKyselyDB } from 'hexforge/plugin';

export const EntryTable = defineEntity({
  name: 'audit.Entry',
  tableName: 'audit_entry',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    actorId: p.uuid().nullable(),
    actorUsername: p.text().nullable(),
    action: p.text(),
    resource: p.text(),
    ip: p.text(),
    userAgent: p.text(),
    details: p.json<Record<string, unknown>>(),
    at: p.datetime(),
  },
});

/** One row; migration 004 explains its columns. */
export const CountTable = defineEntity({
  name: 'audit.Count',
  tableName: 'audit_count',
  properties: {
    through: p.bigint('number').primary(),
    entries: p.bigint('number'),
    last: p.bigint('number'),
    at: p.datetime(),
  },
});

export type AuditRows = InferKyselyDB<typeof EntryTable | typeof CountTable>;
