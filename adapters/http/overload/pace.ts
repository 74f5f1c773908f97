// The minimum transfer rate of request bodies and answers: slower connections are closed, so that they do not occupy
// memory, slots and sockets.
import type { IncomingMessage, ServerResponse } from 'node:http';

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

/** How often the rates are looked at in each window. */
export const looksPerWindow = 30;

/** The type of streams that never end by themselves. */
export const endless = 'text/event-stream';

/** A request body that a reader waits for → ends the wait with an error. */
export const awaitedBodies = new WeakMap<IncomingMessage, () => void>();

/** The rates of one request and its answer. */
export class PaceOfExchange {
  readonly #answer: ServerResponse;
  readonly #leastPerSecond: number;
  readonly #body: Clock;
  readonly #sent: Clock;

  constructor(answer: ServerResponse, { bytesPerSecond, bodyMilliseconds, answerMilliseconds }: Pace) {
    this.#answer = answer;
    this.#leastPerSecond = bytesPerSecond;
    this.#body = new Clock(bodyMilliseconds, answer.req.socket.bytesRead);
    this.#sent = new Clock(answerMilliseconds, taken(answer));
  }

  /** Called every `passed` milliseconds. */
  look(passed: number): void {
    const { req } = this.#answer;
    const { socket } = req;
    const tooLate = awaitedBodies.get(req);
    if (this.#body.late(passed, tooLate !== undefined, socket.bytesRead, this.#leastPerSecond)) tooLate?.();
    // An event stream has no minimum rate, but the client must read its events.
    const least = String(this.#answer.getHeader('content-type')).startsWith(endless) ? 0 : this.#leastPerSecond;
    if (this.#sent.late(passed, socket.writableLength > 0, taken(this.#answer), least)) socket.destroy();
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
