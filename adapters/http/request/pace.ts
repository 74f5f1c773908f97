// The minimum transfer rate of request bodies and answers: slower connections are closed, so that they do not occupy
// memory, slots and sockets.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { lateBody } from './request-body.ts';
import { endless } from '../reply/streams.ts';

export interface Pace {
  /**
   * Averaged over the time spent waiting for the client; time in which the client waits for the server does not count.
   */
  readonly bytesPerSecond: number;
  /**
   * Milliseconds of waiting for the client after which the rate of a body is checked, and in which at least one byte
   * must arrive.
   */
  readonly bodyMilliseconds: number;
  /**
   * The same for answers. Longer, because the kernel hides progress: when a fast connection gets slow, its send buffer
   * takes a megabyte at a time.
   */
  readonly answerMilliseconds: number;
}

export const defaultPace: Pace = { bytesPerSecond: 1024, bodyMilliseconds: 60_000, answerMilliseconds: 120_000 };

/** Checks per window. */
const looks = 30;

interface Watched {
  readonly answer: ServerResponse;
  readonly body: Clock;
  readonly sent: Clock;
}

export class PaceKeeper {
  readonly #pace: Pace;
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Watches an exchange until its answer is closed. */
  watch({ req, res }: { readonly req: IncomingMessage; readonly res: ServerResponse }): void {
    const { bodyMilliseconds, answerMilliseconds } = this.#pace;
    const watched = {
      answer: res,
      body: new Clock(bodyMilliseconds, req.socket.bytesRead),
      sent: new Clock(answerMilliseconds, taken(res)),
    };
    this.#watched.add(watched);
    res.once('close', () => {
      this.#watched.delete(watched);
      if (this.#watched.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    const every = Math.max(1, Math.min(bodyMilliseconds, answerMilliseconds) / looks);
    this.#timer ??= setInterval(() => this.#look(every), every).unref();
  }

  #look(passed: number): void {
    const { bytesPerSecond } = this.#pace;
    for (const { answer, body, sent } of this.#watched) {
      const { req } = answer;
      const { socket } = req;
      const tooLate = lateBody(req);
      if (body.late(passed, tooLate !== undefined, socket.bytesRead, bytesPerSecond)) tooLate?.();
      // An event stream has no minimum rate, but the client must read its events.
      const least = String(answer.getHeader('content-type')).startsWith(endless) ? 0 : bytesPerSecond;
      if (sent.late(passed, socket.writableLength > 0, taken(answer), least)) socket.destroy();
    }
  }
}

/** Bytes that the kernel has accepted. A write in progress counts only when it ends; see `largestPiece`. */
const taken = ({ req: { socket } }: ServerResponse): number => socket.bytesWritten - socket.writableLength;

/** Measures the time spent waiting for the client, and the bytes transferred in it. */
class Clock {
  readonly #window: number;
  #bytes: number;
  #from: number;
  #waited = 0;
  #still = 0;

  constructor(window: number, bytes: number) {
    this.#window = window;
    this.#bytes = bytes;
    this.#from = bytes;
  }

  /** Whether the client is too slow, `passed` milliseconds after the previous check. */
  late(passed: number, waits: boolean, bytes: number, leastPerSecond: number): boolean {
    if (!waits || bytes !== this.#bytes) this.#still = 0;
    this.#bytes = bytes;
    if (!waits) return false;
    this.#still += passed;
    this.#waited += passed;
    if (this.#still >= this.#window) return true;
    if (this.#waited < this.#window) return false;
    const slow = bytes - this.#from < (leastPerSecond * this.#waited) / 1000;
    this.#waited = 0;
    this.#from = bytes;
    return slow;
  }
}
