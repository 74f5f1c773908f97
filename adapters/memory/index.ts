// The memory adapter: storage for tests and trials, the rate counter, clocks and ids.
export { currentCaller } from './current-caller.ts';
export type { MemoryDatabase, MemoryTable } from './database.ts';
export { openMemory, type MemoryOptions, type MemoryStorage } from './open.ts';
export { memoryRateCounter } from '#core/kernel/limits/memory-rate-counter';
export { Memory } from './state.ts';
export { fixedClock, sequentialIds, systemClock, systemIds, type FixedClock } from './time.ts';
