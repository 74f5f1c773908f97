// One live connection: what it is sent within bounds, what it says to nobody, and whether it is still there.
import type { WebSocket } from 'ws';
import type { LiveLimits } from './limits.ts';

/** Close codes of RFC 6455, section 7.4, and of the registry of IANA. */
export const closing = { stopping: 1001, refused: 1008, tryAgain: 1013 } as const;

export class Follower {
  readonly #socket: WebSocket;
  readonly #limits: LiveLimits;
  #heardAt = performance.now();
  #askedAt: number | undefined;
  #heard = 0;

  constructor(socket: WebSocket, limits: LiveLimits) {
    this.#socket = socket;
    this.#limits = limits;
    const hear = (): void => this.#hear();
    socket.on('message', hear).on('ping', hear).on('pong', hear);
    // A client that breaks the protocol is told so by the library, with the close code for it.
    socket.on('error', () => undefined);
  }

  onEnd(ended: () => void): void {
    this.#socket.once('close', ended);
  }

  /** Sends one message, or ends the connection of a client that has not read those before it. */
  tell(bytes: Uint8Array): void {
    if (this.#isFull()) this.#socket.terminate();
    else this.#socket.send(bytes, { binary: false });
  }

  /** @param reason at most 123 bytes, which a client may show. */
  end(code: number, reason: string): void {
    this.#socket.close(code, reason);
    const timer = setTimeout(() => this.#socket.terminate(), this.#limits.closeMs).unref();
    this.#socket.once('close', () => clearTimeout(timer));
  }

  /** To be called each second: a client that is silent is asked whether it is there, and ended if it is not. */
  beat(now: number): void {
    const { silentMs, answerMs } = this.#limits;
    this.#heard = 0;
    if (this.#askedAt !== undefined && now - this.#askedAt >= answerMs) this.#socket.terminate();
    else if (this.#askedAt === undefined && now - this.#heardAt >= silentMs) {
      this.#askedAt = now;
      this.#socket.ping();
    }
  }

  #hear(): void {
    this.#heardAt = performance.now();
    this.#askedAt = undefined;
    this.#heard += 1;
    // Answers to its pings wait, too, where it does not read.
    if (this.#heard > this.#limits.heardPerSecond || this.#isFull()) this.#socket.terminate();
  }

  #isFull(): boolean {
    return this.#socket.bufferedAmount > this.#limits.queuedBytes;
  }
}
