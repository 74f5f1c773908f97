// Streamed response bodies: enforces the announced length, closes the source with the client, and ends event streams at
// shutdown.
import { Readable } from 'node:stream';
import { endless } from '../overload/pace.ts';
import type { AccessRecheck } from '../request/exchange.ts';
import type { ByteStream } from '../descriptor/route.ts';

export interface StreamHooks {
  /** Rechecks access while the answer is sent; undefined if it may be sent to its end. */
  readonly recheck: AccessRecheck | undefined;
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** Called when a stream was ended because access was lost or the server stops. */
  readonly ended: () => void;
  /** Called when a source fails after the answer has begun. */
  readonly failed: (error: unknown) => void;
}

/** Largest piece that is written at once, in bytes: progress of a client is measured in whole pieces. */
export const largestPiece = 64 * 1024;

/** Splits bytes in memory into a stream, so that the transfer rate can be measured. */
export function pieces(bytes: Buffer): Readable {
  const cut = function* (): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += largestPiece) yield bytes.subarray(at, at + largestPiece);
  };
  return Readable.from(cut(), { objectMode: false });
}

export function readable(stream: ByteStream, hooks: StreamHooks): Readable {
  const counted = iterator(stream.source[Symbol.asyncIterator](), stream.length);
  const source = hooks.recheck === undefined ? counted : held(counted, hooks.recheck, hooks.ended);
  const chunks = stream.type.startsWith(endless) ? untilShutdown(source, hooks) : source;
  const out = Readable.from({ [Symbol.asyncIterator]: () => chunks }, { objectMode: false });
  out.once('error', hooks.failed);
  return out;
}

/** Closes a source that will not be read. */
export async function cancel(stream: ByteStream): Promise<void> {
  await stream.source[Symbol.asyncIterator]().return?.();
}

/** Not a generator: closing a generator that has not started would not close the source. */
const over = (
  source: AsyncIterator<Uint8Array>,
  next: () => Promise<IteratorResult<Uint8Array>>,
): AsyncIterator<Uint8Array> => ({
  next,
  async return() {
    await source.return?.();
    return { done: true, value: undefined };
  },
});

function iterator(source: AsyncIterator<Uint8Array>, length: number | undefined): AsyncIterator<Uint8Array> {
  let sent = 0;
  let rest: Uint8Array = Buffer.alloc(0);
  const piece = (bytes: Uint8Array): IteratorResult<Uint8Array> => {
    rest = bytes.subarray(largestPiece);
    return { done: false, value: bytes.subarray(0, largestPiece) };
  };
  return over(source, async () => {
    if (rest.byteLength > 0) return piece(rest);
    const next = await source.next();
    sent += next.done === true ? 0 : next.value.byteLength;
    // A wrong length would shift the next answer on the same connection.
    if (length !== undefined && (sent > length || (next.done === true && sent < length)))
      throw new Error(
        `a body of ${length} bytes was announced and ${next.done === true ? `ended at ${sent}` : 'goes on'}`,
      );
    return next.done === true ? next : piece(next.value);
  });
}

/**
 * An answer that is sent only while its reader has access.
 * @param lost called when access is lost, before the answer is cut off.
 */
const held = (source: AsyncIterator<Uint8Array>, recheck: AccessRecheck, lost: () => void): AsyncIterator<Uint8Array> =>
  over(source, async () => {
    const next = await source.next();
    if (next.done === true) return next;
    await recheck.hold().catch((error: unknown) => {
      lost();
      throw error;
    });
    return next;
  });

function untilShutdown(source: AsyncIterator<Uint8Array>, hooks: StreamHooks): AsyncIterator<Uint8Array> {
  let end: () => void = () => undefined;
  const stop = (): void => {
    end();
    hooks.ended();
  };
  hooks.stopping.addEventListener('abort', stop, { once: true });
  return {
    next() {
      if (hooks.stopping.aborted) return Promise.resolve({ done: true, value: undefined });
      return new Promise((resolve, reject) => {
        end = () => resolve({ done: true, value: undefined });
        source.next().then(resolve, reject);
      });
    },
    async return() {
      hooks.stopping.removeEventListener('abort', stop);
      await source.return?.();
      return { done: true, value: undefined };
    },
  };
}
