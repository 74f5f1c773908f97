// Reads the beginning of each request body, nearly always the whole body, into bounded memory before anything else is
// done for the request.

/** Bytes of one request: enough for a client that requests five thousand refs. */
const mostOfOne = 256 * 1024;
/** Bytes of all requests that are being read. Past it a request continues with the bytes that have arrived. */
const mostInAll = 32 * 1024 ** 2;
/** Beyond this number pieces are joined. A piece may be a single byte, and costs more memory than it contains. */
const piecesAtMost = 64;

export interface RequestHead {
  readonly chunks: readonly Uint8Array[];
  /** Returns the bytes to the memory budget. */
  release(): void;
}

export class RequestHeads {
  #held = 0;

  /** Reads up to the end of the body or up to the limit. */
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
