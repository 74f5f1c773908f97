// How many files the embedded database may hold open: it would keep every table and index it has seen, and leave none
// to git and to clients where the process may open few.
import { readFileSync } from 'node:fs';

/** Where the system does not tell what the process may open. */
const usual = 1024;
/** The least and the most that PostgreSQL is asked for (`max_files_per_process`); it takes no less. */
const bounds = { least: 64, most: 1000 } as const;

/** A quarter of what the process may open. */
export function openFiles(limit = processLimit()): number {
  return Math.min(bounds.most, Math.max(bounds.least, Math.floor(limit / 4)));
}

function processLimit(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return soft === undefined ? usual : Number(soft);
  } catch {
    return usual;
  }
}
