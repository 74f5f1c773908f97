// The face of the audit log for everyone: what it keeps, and its store.
export * from './ports.ts';
