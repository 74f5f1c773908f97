// The bytes of a connection to a directory, as the library reads them: one validated message per chunk, with a bound.
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { messageLength, ProtocolViolation, readMessage } from './messages.ts';

/** The most bytes that a server may send in answer to one request. */
const longestAnswer = 2 << 20;

/** The most messages in answer to one request: entries, references and the result. */
const mostMessages = 1000;

/** Replaces a connected socket for the library. Destroying it destroys the socket. */
export class MessageStream extends Duplex {
  /** `Client` of ldapts reads these two to see that the socket is connected. */
  readonly connecting = false;
  readonly readyState = 'open';
  readonly #socket: Socket;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** The bytes that `#pending` must have before it is read: pieces of a long message are joined once. */
  #needed = 0;
  /** Bytes and messages since the last request. */
  #answered = 0;
  #messages = 0;
  #code: number | undefined;

  constructor(socket: Socket) {
    super({ readableObjectMode: true, allowHalfOpen: false });
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('error', (error) => this.destroy(error));
    socket.on('end', () => this.push(null));
    socket.on('close', () => setImmediate(() => this.destroy()));
    // The library adds its own handler; before that, an error must not end the process.
    this.on('error', () => undefined);
  }

  /** The code of the last result. The library hides that a search exceeded a size limit. */
  get code(): number | undefined {
    return this.#code;
  }

  override _read(): void {
    // Messages are pushed when they arrive.
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#answered = 0;
    this.#messages = 0;
    this.#code = undefined;
    this.#socket.write(bytes, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#pending = [];
    this.#socket.destroy();
    done(error);
  }

  #take(bytes: Buffer): void {
    if (this.destroyed) return;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#answered += bytes.length;
    try {
      if (this.#answered > longestAnswer) throw new ProtocolViolation(`an answer exceeds ${longestAnswer} bytes`);
      if (this.#pendingBytes >= this.#needed) this.#readMessages();
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #readMessages(): void {
    let rest = this.#pending.length === 1 ? (this.#pending[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#pending);
    let length = messageLength(rest);
    for (; length !== undefined && length <= rest.length; length = messageLength(rest)) {
      this.#messages += 1;
      if (this.#messages > mostMessages) throw new ProtocolViolation(`an answer exceeds ${mostMessages} messages`);
      const message = readMessage(rest.subarray(0, length));
      // An unsolicited notification (RFC 4511, 4.4): the server is about to close the connection.
      if (message.id === 0) throw new Error('The directory closed the connection');
      if (message.code !== undefined) this.#code = message.code;
      this.push(message.bytes);
      rest = rest.subarray(length);
    }
    this.#pending = rest.length === 0 ? [] : [rest];
    this.#pendingBytes = rest.length;
    this.#needed = length ?? rest.length + 1;
  }
}
