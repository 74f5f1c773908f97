// The beginnings of request bodies, nearly always the whole of them, read into bounded memory before anything else is
// done for a request.
import { Buffer } from 'node:buffer';

/** Of one request: what a client says that wants five thousand refs. */
const mostOfOne = 256 * 1024;
/** Of all that are being read. Past it a request goes on with what has come. */
const mostInAll = 32 * 1024 ** 2;
/** Pieces may be of a byte each, and cost more than they hold. */
const piecesAtMost = 64;

export interface RequestHead {
  readonly chunks: readonly Uint8Array[];
  /** Says that nobody holds them any more. */
  release(): void;
}

export class RequestHeads {
  #held = 0;

  /** Up to the end of the body or the bound, whichever comes first. */
  async read(body: AsyncIterator<Uint8Array>): Promise<RequestHead> {
    let chunks: Buffer[] = [];
    let bytes = 0;
    const release = (): void => {
      this.#held -= bytes;
      bytes = 0;
    };
    try {
      while (bytes < mostOfOne && this.#held < mostInAll) {
        const read = await body.next();
        if (read.done === true) break;
        bytes += read.value.length;
        this.#held += read.value.length;
        chunks.push(Buffer.from(read.value));
        if (chunks.length > piecesAtMost) chunks = [Buffer.concat(chunks)];
      }
      return { chunks, release };
    } catch (error) {
      release();
      throw error;
    }
  }
}
