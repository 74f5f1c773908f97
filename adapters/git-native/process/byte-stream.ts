// The standard output of a process as an async iterator of bytes: with back-pressure, stopped when its reader leaves,
// and an error where the process did not finish.
import type { Buffer } from 'node:buffer';
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '#core/kernel/errors';
import type { GitProcess } from './git-process.ts';
import { refuseOutOfMemory } from './too-costly.ts';
import { Pace, type LeastRate } from './pace.ts';

export interface ByteStreamOptions {
  /** Called once, when nothing of the process is left. */
  readonly onEnd: () => void;
  /** Its reader is waited for while it has not asked for the next piece. Default: for ever. */
  readonly leastRate?: LeastRate;
  /** Whether these bytes count as movement for the idle time. Default: all do. */
  readonly moves?: (bytes: Uint8Array) => boolean;
}

/** Why a process was stopped whose reader is too slow. */
export const unread = 'its answer was read too slowly or not at all';

/** Not a generator: one that nobody began to read would never run its cleaning up. */
export function byteStream(process: GitProcess, options: ByteStreamOptions): AsyncIterableIterator<Uint8Array> {
  const output = process.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const { leastRate, moves = () => true } = options;
  const pace = leastRate && new Pace(leastRate, () => void process.stop(unread));
  let taken = 0;
  let moved = true;
  pace?.waits();
  void process.ended.then(() => {
    pace?.end();
    options.onEnd();
  });
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
      // Any exit code of its own is a whole answer: what went wrong stands in the bytes it wrote. One that is stopped
      // may still end as if it were done.
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

/** The stream with another way to its next piece; who leaves it leaves the stream. */
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

/** A stream with something before it. */
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

/** A piece from here on is worth going on by itself. */
const worthwhileBytes = 16 * 1024;
/** In which more comes of a program that writes little at a time. */
const gatherMs = 1;

/**
 * What a program writes in many small pieces, in larger ones: after a small piece it is left to write for a moment. A
 * zip has several pieces for each of its files, and one that goes on by itself costs as much as a large one.
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
