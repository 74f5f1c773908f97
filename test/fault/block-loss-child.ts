// One run of a database on a disk that loses unsynced blocks: writes rows until a power failure, then drops half of the
// unsynced blocks.
// Arguments: data directory, `durable` or `default`, the number of the write at which the power fails. Prints each id
// once it is acknowledged.
import { randomInt } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, readSync, fstatSync, writeSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { DurableNodeFS, durableStart } from '#adapters/postgres/embedded/durable-fs';

const blockSize = 4096;
const [directory = '', flags = 'durable', moment = '0'] = process.argv.slice(2);

interface Stream {
  readonly nfd?: number;
  readonly node: unknown;
}
type Write = (stream: Stream, buffer: Uint8Array, offset: number, length: number, position?: number) => number;

/** path → the durable state: the size, and the old content of each block written since the last fsync. */
const unsynced = new Map<string, { readonly size: number; readonly blocks: Map<number, Buffer> }>();
let writes = 0;
/** Set once the database is open and has printed the rows that it found. */
let armed = false;

class ForgetfulNodeFS extends DurableNodeFS {
  override async init(...[pg, options]: Parameters<DurableNodeFS['init']>): ReturnType<DurableNodeFS['init']> {
    const prepared = await super.init(pg, options);
    // Emscripten runs the last entry first, so this one runs after those of DurableNodeFS.
    prepared.emscriptenOpts.preRun?.unshift((module: unknown) => {
      const files = (
        module as {
          FS: {
            filesystems: {
              NODEFS: {
                stream_ops: { write: Write; fsync?: (stream: Stream) => number };
                realPath(node: unknown): string;
              };
            };
          };
        }
      ).FS.filesystems.NODEFS;
      const { write, fsync } = files.stream_ops;
      files.stream_ops.write = (stream, buffer, offset, length, position) => {
        if (stream.nfd !== undefined && position !== undefined)
          remember(files.realPath(stream.node), stream.nfd, position, length);
        if (armed) writes += 1;
        if (armed && writes === Number(moment)) loseThePower();
        return write(stream, buffer, offset, length, position);
      };
      if (flags === 'default') delete files.stream_ops.fsync;
      else
        files.stream_ops.fsync = (stream) => {
          const result = fsync?.(stream) ?? 0;
          unsynced.delete(files.realPath(stream.node));
          return result;
        };
    });
    return prepared;
  }
}

function remember(path: string, descriptor: number, position: number, length: number): void {
  const file = unsynced.get(path) ?? { size: fstatSync(descriptor).size, blocks: new Map<number, Buffer>() };
  unsynced.set(path, file);
  for (let block = Math.floor(position / blockSize); block * blockSize < position + length; block += 1) {
    if (file.blocks.has(block)) continue;
    const held = Buffer.alloc(blockSize);
    const reading = openSync(path, 'r');
    readSync(reading, held, 0, blockSize, block * blockSize);
    closeSync(reading);
    file.blocks.set(block, held);
  }
}

function loseThePower(): never {
  for (const [path, { size, blocks }] of unsynced) {
    let descriptor: number;
    try {
      descriptor = openSync(path, 'r+');
    } catch {
      continue; // renamed or removed since
    }
    for (const [block, held] of blocks)
      if (randomInt(2) === 0) writeSync(descriptor, held, 0, blockSize, block * blockSize);
    if (randomInt(2) === 0) ftruncateSync(descriptor, Math.max(size, 0));
    closeSync(descriptor);
  }
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable');
}

const start = flags === 'default' ? {} : { startParams: durableStart };
const database = await PGlite.create({ fs: new ForgetfulNodeFS(directory), ...start });
await database.exec(
  'create table if not exists acknowledged (id bigint generated always as identity primary key, filler text not null)',
);
const { rows } = await database.query<{ id: number }>('select id from acknowledged order by id');
process.stdout.write(`found ${rows.map(({ id }) => id).join(',')}\n`);
armed = true;
if (Number(moment) === 0) {
  await database.close();
  process.exit(0);
}
for (;;) {
  const {
    rows: [row],
  } = await database.query<{ id: number }>('insert into acknowledged (filler) values (repeat($1, 300)) returning id', [
    String(writes % 10),
  ]);
  process.stdout.write(`acknowledged ${row?.id}\n`);
  if (Number(row?.id) % 13 === 0) await database.exec('checkpoint');
}
