// Reads the request body as a stream of bytes: size limit, gzip decoding, and draining after a refusal.
import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { PayloadTooLarge, UnsupportedMediaType, ValidationFailed } from '#core/kernel/errors';
import { awaitedBodies } from '../overload/pace.ts';
import type { AccessRecheck } from './exchange.ts';
import { listed } from '../overload/header-lists.ts';

/** How much of a refused body is read, so that the client receives the answer instead of a reset connection. */
const drainLimits = { bytes: 64 * 1024 * 1024, milliseconds: 2_000 };

/** Whether a body follows (RFC 9112, "Message Body"). */
export function carriesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/**
 * The body as it arrives. `maxBytes` bounds what the reader receives, after decompression.
 * @throws {PayloadTooLarge | UnsupportedMediaType | ValidationFailed} while it is read.
 */
export async function* requestBytes(message: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  let count = 0;
  for await (const chunk of decoded(message)) {
    count += chunk.byteLength;
    if (count > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

function decoded(message: IncomingMessage): AsyncIterable<Uint8Array> {
  const encodings = listed(message.headers['content-encoding'])
    .map((encoding) => encoding.toLowerCase())
    .filter((encoding) => encoding !== 'identity');
  const [encoding] = encodings;
  // If the reader stops early, the message must not be destroyed: its socket still sends the answer.
  if (encoding === undefined) return awaited(message, message.iterator({ destroyOnReturn: false }));
  if (encodings.length === 1 && (encoding === 'gzip' || encoding === 'x-gzip')) return inflated(message);
  throw new UnsupportedMediaType('The content encoding of the body is not supported', {
    detail: 'Send the body as it is, or with Content-Encoding: gzip',
  });
}

async function* inflated(message: IncomingMessage): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  const hungUp = (): void => {
    if (!message.complete) gunzip.destroy(new Error('the client hung up'));
  };
  message.once('close', hungUp);
  try {
    yield* awaited(message, message.pipe(gunzip)[Symbol.asyncIterator]());
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && String(error.code).startsWith('Z_')) {
      throw new ValidationFailed('The body could not be inflated', {
        detail: 'The body is not the gzip that Content-Encoding announces',
        cause: error,
      });
    }
    throw error;
  } finally {
    message.off('close', hungUp);
    message.unpipe(gunzip);
    gunzip.destroy();
  }
}

/** Records when it waits for the client, so that a slow reader on the server does not count against the client. */
async function* awaited(message: IncomingMessage, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let late = false;
  const next = (): Promise<IteratorResult<Uint8Array>> =>
    new Promise((resolve, reject) => {
      awaitedBodies.set(message, () => {
        late = true;
        reject(tooSlow());
      });
      chunks.next().then(resolve, reject);
    });
  try {
    for (;;) {
      const chunk = await next();
      awaitedBodies.delete(message);
      if (chunk.done === true) return;
      yield chunk.value;
    }
  } finally {
    awaitedBodies.delete(message);
    const returned = chunks.return?.();
    // A pending read ends only when the connection does, so it is not awaited.
    if (late) void returned?.catch(() => undefined);
    else await returned;
  }
}

/**
 * A request body with access rechecks: at each chunk when the recheck interval has passed, and once after the last
 * chunk.
 */
export async function* uploaded(chunks: AsyncIterable<Uint8Array>, recheck: AccessRecheck): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    await recheck.hold();
    yield chunk;
  }
  await recheck.renew();
}

/**
 * Reads and discards the rest of a refused request, within limits; past them the connection is closed on the client.
 */
export async function drain(message: IncomingMessage): Promise<void> {
  if (message.readableEnded || message.destroyed || !carriesBody(message)) return;
  let left = drainLimits.bytes;
  const { promise, resolve } = Promise.withResolvers<void>();
  const count = (chunk: Uint8Array): void => {
    left -= chunk.byteLength;
    if (left < 0) resolve();
  };
  const timer = setTimeout(resolve, drainLimits.milliseconds);
  message.on('data', count).once('end', resolve).once('close', resolve).once('error', resolve).resume();
  await promise;
  clearTimeout(timer);
  message.off('data', count).off('end', resolve).off('close', resolve).off('error', resolve).pause();
}

const tooLarge = (maxBytes: number): PayloadTooLarge =>
  new PayloadTooLarge('The body is too large', { detail: `The limit is ${maxBytes} bytes` });

/** The same error as for a JSON body that takes too long in total: no operation answers 408. */
const tooSlow = (): ValidationFailed =>
  new ValidationFailed('The body did not arrive in time', { detail: 'A body must come at 1 KiB a second or more' });
