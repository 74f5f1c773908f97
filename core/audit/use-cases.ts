// Use cases of the audit log, for its own plugin.
export { auditLog } from './log.ts';
export { auditReading, type AuditReading } from './reading.ts';
