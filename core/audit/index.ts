// Public exports of the audit area: the types of entries and the store.
export * from './ports.ts';
