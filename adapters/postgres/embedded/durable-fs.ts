// PGlite's file system with real fsync: when PostgreSQL asks for a write to reach the disk, it does.
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/**
 * The part of Emscripten's NODEFS that is touched here. Pinned with PGlite's version; a contract test counts the calls.
 */
interface NodeFileSystem {
  readonly stream_ops: { fsync?: (stream: { readonly nfd?: number; readonly node: unknown }) => number };
  realPath(node: unknown): string;
}

/** Emscripten's NODEFS has no fsync at all: without this, nothing PostgreSQL flushes is ever forced to the disk. */
export class DurableNodeFS extends NodeFS {
  /** fsync system calls made so far. */
  syncs = 0;

  override async init(...[pg, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const prepared = await super.init(pg, options);
    prepared.emscriptenOpts.preRun?.push((module: unknown) => {
      const files = (module as { FS: { filesystems: { NODEFS: NodeFileSystem } } }).FS.filesystems.NODEFS;
      files.stream_ops.fsync = (stream) => {
        if (stream.nfd !== undefined) fsyncSync(stream.nfd);
        else syncFolder(files.realPath(stream.node));
        this.syncs += 1;
        return 0;
      };
    });
    return prepared;
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * PGlite starts PostgreSQL with `-F` (no fsync). `wal_sync_method=fsync` is essential: fdatasync, the default, is a
 * system call that does nothing in its WebAssembly glue.
 */
export const durableStart: string[] = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  '-c',
  'fsync=on',
  '-c',
  'synchronous_commit=on',
  '-c',
  'wal_sync_method=fsync',
  '-c',
  'shared_buffers=16MB',
];
