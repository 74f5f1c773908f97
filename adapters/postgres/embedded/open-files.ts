// Limits how many files the embedded database keeps open: otherwise it would keep every table and index it has used,
// and leave no descriptors to git and to clients if the process may open few.
import { readFileSync } from 'node:fs';

/** The assumed limit if the system does not report one. */
const usual = 1024;
/** Bounds of PostgreSQL's `max_files_per_process`; it accepts no less than 64. */
const bounds = { least: 64, most: 1000 } as const;

/** A quarter of the files that the process may open. */
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
