// The standard output of a process as an async iterator of bytes with backpressure. The process is stopped when the
// reader leaves, and an incomplete output throws.
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '#core/kernel/errors';
import type { GitProcess } from './git-process.ts';
import { refuseOutOfMemory } from './too-costly.ts';
import { Pace, type LeastRate } from './pace.ts';

export interface ByteStreamOptions {
  /**
   * The minimum transfer rate of the reader, measured while it has not requested the next piece. Default: no minimum.
   */
  readonly leastRate?: LeastRate;
  /** Whether these bytes restart the idle timer. Default: all do. */
  readonly moves?: (bytes: Uint8Array) => boolean;
}

/** The reason for stopping a process whose reader is too slow. */
export const unread = 'its answer was read too slowly or not at all';

/** Not a generator: a generator that was never started would not run its cleanup. */
export function byteStream(process: GitProcess, options: ByteStreamOptions = {}): AsyncIterableIterator<Uint8Array> {
  const output = process.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const { leastRate, moves = () => true } = options;
  const pace = leastRate && new Pace(leastRate, () => void process.stop(unread));
  let taken = 0;
  let moved = true;
  pace?.waits();
  void process.ended.then(() => pace?.end());
  const stream: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => stream,
    next: async () => {
      if (moved) process.touch();
      pace?.moved(taken);
      const read = await output.next().catch(() => ({ done: true, value: undefined }) as const);
      moved = read.done === true || moves(read.value);
      if (moved) process.touch();
      if (read.done !== true) {
        taken = read.value.length;
        if (process.running) pace?.waits();
        return { done: false, value: read.value };
      }
      const { code } = await process.ended;
      // A process that exits by itself has given a complete answer, which contains its errors, whatever the exit code.
      // A process that was stopped may also exit as if it were done.
      refuseOutOfMemory(process, 'answer');
      if (code === null || process.stopped !== undefined)
        throw new Unavailable(`git was stopped before its answer was whole: ${process.stopped ?? 'by a signal'}`, {
          detail: 'Try again later',
        });
      return { done: true, value: undefined };
    },
    return: async () => {
      await process.stop('nobody reads its answer any more');
      process.stdout.destroy();
      return { done: true, value: undefined };
    },
  };
  return stream;
}

/** The stream with another `next`. A reader that leaves it leaves the stream. */
export function withNext(
  stream: AsyncIterableIterator<Uint8Array>,
  next: () => Promise<IteratorResult<Uint8Array>>,
): AsyncIterableIterator<Uint8Array> {
  const changed: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => changed,
    next,
    return: async () => (await stream.return?.()) ?? { done: true, value: undefined },
  };
  return changed;
}

/** A stream with pieces before it. */
export function prefixed(
  first: readonly Uint8Array[],
  stream: AsyncIterableIterator<Uint8Array>,
): AsyncIterableIterator<Uint8Array> {
  const pending = [...first];
  return withNext(stream, async () => {
    const value = pending.shift();
    return value === undefined ? await stream.next() : { done: false, value };
  });
}

/** Bytes. A piece of this size is large enough to be passed on at once. */
const worthwhileBytes = 16 * 1024;
/** Milliseconds in which a program that writes little at a time writes more. */
const gatherMs = 1;

/**
 * Joins the small pieces of a program's output: after a small piece it waits before it reads again. A zip has several
 * pieces for each of its files, and passing on a small piece costs as much as a large one.
 */
export function gathered(stream: AsyncIterableIterator<Uint8Array>): AsyncIterableIterator<Uint8Array> {
  let small = false;
  return withNext(stream, async () => {
    if (small) await pause(gatherMs);
    const read = await stream.next();
    small = read.done !== true && read.value.length < worthwhileBytes;
    return read;
  });
}
