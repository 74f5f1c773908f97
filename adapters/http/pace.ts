// The least pace at which a client must send a body and take an answer: what moves more slowly is ended, so that nobody
// holds memory, a place or a connection for bytes that hardly move.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { lateBody } from './request-body.ts';
import { endless } from './streams.ts';

export interface Pace {
  /** Averaged over the time in which the client is waited for; nothing is asked while the server is. */
  readonly bytesPerSecond: number;
  /** Of waiting, after which the pace of a body is judged, and in which at least one byte must come. */
  readonly bodyMilliseconds: number;
  /**
   * The same for answers. Longer, as the kernel hides what moves: a connection that was fast takes a megabyte at a time
   * when it gets slow.
   */
  readonly answerMilliseconds: number;
}

export const defaultPace: Pace = { bytesPerSecond: 1024, bodyMilliseconds: 60_000, answerMilliseconds: 120_000 };

/** How often it is looked at in one such time. */
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

  /** Looks after an exchange until its answer is closed. */
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
      // Events are as rare as they are; they must be read when they come.
      const least = String(answer.getHeader('content-type')).startsWith(endless) ? 0 : bytesPerSecond;
      if (sent.late(passed, socket.writableLength > 0, taken(answer), least)) socket.destroy();
    }
  }
}

/** What the kernel has taken of all that was written. A write under way counts when it is over: see `largestPiece`. */
const taken = ({ req: { socket } }: ServerResponse): number => socket.bytesWritten - socket.writableLength;

/** Counts the time in which a client is waited for, and what it moves. */
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

  /** Whether the client is too slow, `passed` milliseconds after the last look. */
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
