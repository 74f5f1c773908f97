// The time limit on answers of plugins from outside: one that does not come is a 503, and what makes it is told to end.
import { Readable } from 'node:stream';
import type { Request } from '@hapi/hapi';
import { Unavailable } from '#core/kernel/errors';

/** Milliseconds, from the moment the handler is called; time in which a raw body still comes does not count. */
export const answerMs = 60_000;

/**
 * The answer that `work` makes. A body that is sent as it comes may take longer: its answer is there.
 * @param what for the log: `plugin "bell", route "bellList"`.
 * @throws {Unavailable} after its time; the signal of the call is aborted then.
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
    // What would be sent in pieces has its source open, and nobody reads it any more.
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
