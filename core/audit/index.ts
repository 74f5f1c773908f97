// The face of the audit log.
export * from './log.ts';
export * from './ports.ts';
export * from './redaction.ts';
