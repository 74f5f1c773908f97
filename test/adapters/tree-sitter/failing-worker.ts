// The worker of the reader, with a text for each way in which a grammar may fail. Everything else it reads.
import { parentPort } from 'node:worker_threads';
import type { Request } from '#adapters/tree-sitter/messages';

const memory: string[][] = [];

const failures: Readonly<Record<string, () => void>> = {
  hang() {
    for (;;);
  },
  throw() {
    throw new Error('thrown');
  },
  exit: () => process.exit(3),
  memory() {
    for (;;) memory.push(Array.from({ length: 100_000 }, (_, index) => `${String(index)} ${String(memory.length)}`));
  },
};

// Before the listener of the worker itself, which is called next.
parentPort?.on('message', ({ text }: Request) => failures[text]?.());
await import('#adapters/tree-sitter/worker');
