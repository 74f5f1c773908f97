// PGlite's file system with real fsync: data that PostgreSQL flushes reaches the disk.
import { fsyncSync, readFileSync, rmSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { syncFolder } from './sync-folder.ts';

/**
 * The part of Emscripten's NODEFS that is used here. Pinned with PGlite's version; a contract test counts the calls.
 */
interface NodeFileSystem {
  readonly stream_ops: {
    fsync?: (stream: { readonly nfd?: number; readonly node: unknown }) => number;
    open: (stream: { readonly node: unknown; readonly fd: number }) => void;
  };
  readonly node_ops: { mknod: (parent: unknown, name: string, ...rest: unknown[]) => unknown };
  realPath(node: unknown): string;
  /** Converts the error of a system call to one that PostgreSQL reads as errno. */
  tryFSOperation(call: () => void): void;
}

/** The part of Emscripten's FS that maps names to files. */
interface Names {
  readonly filesystems: { readonly NODEFS: NodeFileSystem };
  lookupNode(parent: unknown, name: string): unknown;
  destroyNode(node: unknown): void;
  closeStream(fd: number): void;
}

/**
 * Cleans up after a file that could not be created or opened for lack of space or descriptors. Emscripten would keep
 * the name of the file, so that PostgreSQL could neither open nor create it afterwards, and its descriptor number, of
 * which there are 4,096.
 */
export function forgetUnopened(names: Names): void {
  const files = names.filesystems.NODEFS;
  const { node_ops: nodes, stream_ops: streams } = files;
  const { mknod } = nodes;
  const { open } = streams;
  let made: unknown;
  nodes.mknod = (parent, name, ...rest) => {
    try {
      return (made = mknod.call(nodes, parent, name, ...rest));
    } catch (error) {
      names.destroyNode(names.lookupNode(parent, name));
      throw error;
    }
  };
  streams.open = (stream) => {
    const fresh = stream.node === made;
    made = undefined;
    try {
      open.call(streams, stream);
    } catch (error) {
      names.closeStream(stream.fd);
      if (fresh) {
        rmSync(files.realPath(stream.node), { force: true });
        names.destroyNode(stream.node);
      }
      throw error;
    }
  };
}

/** Emscripten's NODEFS has no fsync: without this, flushes of PostgreSQL are never forced to the disk. */
export class DurableNodeFS extends NodeFS {
  readonly #hooks: object;
  /** fsync system calls made so far. */
  syncs = 0;

  /** @param hooks for Emscripten's module. */
  constructor(directory: string, hooks: object = {}) {
    super(directory);
    this.#hooks = hooks;
  }

  override async init(...[pg, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const prepared = await super.init(pg, options);
    prepared.emscriptenOpts.preRun?.push((module: unknown) => {
      const { FS: names } = module as { FS: Names };
      const files = names.filesystems.NODEFS;
      forgetUnopened(names);
      files.stream_ops.fsync = (stream) => {
        // Converted to errno: any other exception would interrupt PostgreSQL in an undefined state.
        files.tryFSOperation(() => {
          if (stream.nfd !== undefined) fsyncSync(stream.nfd);
          else syncFolder(files.realPath(stream.node));
        });
        this.syncs += 1;
        return 0;
      };
    });
    return { ...prepared, emscriptenOpts: { ...prepared.emscriptenOpts, ...this.#hooks } };
  }
}

/** The assumed limit if the system does not report one. */
const usual = 1024;
/** Bounds of PostgreSQL's `max_files_per_process`; it accepts no less than 64. */
const bounds = { least: 64, most: 1000 } as const;

/**
 * How many files PostgreSQL keeps open: a quarter of the files that the process may open. Otherwise it would keep every
 * table and index it has used, and leave no descriptors to git and to clients.
 */
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

/**
 * PGlite starts PostgreSQL with `-F` (no fsync). `wal_sync_method=fsync` is essential: fdatasync, the default, is a
 * no-op in its WebAssembly glue.
 */
export const durableStart: string[] = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...Object.entries({
    fsync: 'on',
    synchronous_commit: 'on',
    wal_sync_method: 'fsync',
    shared_buffers: '16MB',
    // Log files of this size are kept for reuse at a checkpoint, so that the next ones exist when a disk fills up.
    min_wal_size: '32MB',
    max_wal_size: '48MB',
    max_files_per_process: openFiles(),
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];
