// The face of the audit log for everyone: its store.
export * from './ports.ts';
