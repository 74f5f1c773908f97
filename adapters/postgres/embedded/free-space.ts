// Free space (statfs) on the disk of the embedded database, and how much of it the database needs.
import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const mebibyte = 1024 ** 2;

/** In bytes. A file of the write-ahead log has 16 MiB. */
export const space = {
  /** With less free space, writes are rejected, so that PostgreSQL always has room for its log. */
  reserve: 64 * mebibyte,
  /** With this much free space, writes are accepted again. */
  resume: 80 * mebibyte,
  /** To open a database: the end of a recovery may begin a new file of the log. */
  open: 40 * mebibyte,
  /** To create a database. */
  create: 160 * mebibyte,
} as const;

/** Bytes that an ordinary user may still write below `directory`. */
export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/**
 * Free bytes for the database in this directory. Its write-ahead log may be on a different disk; the smaller value
 * counts.
 */
export function databaseFreeBytes(directory: string): number {
  const log = join(directory, 'pg_wal');
  return Math.min(...[directory, log].filter((path) => existsSync(path)).map(freeBytes));
}

export const inMebibytes = (bytes: number): number => Math.floor(bytes / mebibyte);
