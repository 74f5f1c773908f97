// The time limit on answers of plugins from outside: a late answer becomes a 503, and the abort signal of its call is
// aborted.
import { Readable } from 'node:stream';
import type { Request } from '@hapi/hapi';
import { Unavailable } from '#core/kernel/errors';

/** Milliseconds from the call of the handler. While a raw body still arrives, the limit does not apply. */
export const answerMs = 60_000;

/**
 * Returns the answer of `work`. A streamed body may take longer than the limit: only the start of the answer is
 * bounded.
 * @param what names the route in the log: `plugin "bell", route "bellList"`.
 * @throws {Unavailable} after the time limit; the signal of the call is aborted then.
 */
export async function answeredWithin<T>(
  milliseconds: number,
  what: string,
  request: Request,
  work: () => Promise<T>,
): Promise<T> {
  const { req } = request.raw;
  const { promise, reject } = Promise.withResolvers<never>();
  let isLate = false;
  let arrived = req.socket.bytesRead;
  const timer = setInterval(() => {
    const before = arrived;
    arrived = req.socket.bytesRead;
    if (!req.complete && arrived > before) return;
    isLate = true;
    clearInterval(timer);
    request.app.exchange.abort();
    const cause = new Error(`${what}: there was no answer within ${milliseconds / 1000} s`);
    reject(new Unavailable('The answer took too long', { detail: 'Ask an administrator of this instance', cause }));
  }, milliseconds);
  const answer = work().then((response) => {
    // Nobody will read a late streamed answer, so its open source is closed.
    const { source } = Object(response) as { readonly source?: unknown };
    if (isLate && source instanceof Readable) source.destroy();
    return response;
  });
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearInterval(timer);
  }
}
