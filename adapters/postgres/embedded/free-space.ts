// Free space (statfs) on the disk of the embedded database, and how much of it the database needs.
import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const mebibyte = 1024 ** 2;

/** Bytes. A file of the write-ahead log has 16 MiB. */
export const space = {
  /** With less left, writes are refused: PostgreSQL itself must never find no room for its log. */
  reserve: 64 * mebibyte,
  /** With so much again, they are taken. */
  resume: 80 * mebibyte,
  /** To open a database: the end of a recovery may begin a new file of the log. */
  open: 40 * mebibyte,
  /** To make one. */
  create: 160 * mebibyte,
} as const;

/** Bytes that an ordinary user may still write below `directory`. */
export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/**
 * The same for a database in this directory: its write-ahead log may lie on a disk of its own, and no more than fits
 * there can be written.
 */
export function databaseFreeBytes(directory: string): number {
  const log = join(directory, 'pg_wal');
  return Math.min(...[directory, log].filter((path) => existsSync(path)).map(freeBytes));
}

export const inMebibytes = (bytes: number): number => Math.floor(bytes / mebibyte);
