// The memory adapter: the storage for tests and trials, and a clock and ids for tests.
export type { MemoryDatabase, MemoryTable } from './database.ts';
export { openMemory, type MemoryOptions, type MemoryStorage } from './open.ts';
export { Memory } from './state.ts';
export { fixedClock, sequentialIds, type FixedClock } from './time.ts';
