// The HTTP connection of the OpenSearch client, with a time limit for whole answers and a bound on their length.
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Connection, errors } from '@opensearch-project/opensearch';

/** Bytes of one answer. */
const mostBytes = 32 * 1024 * 1024;

type Parameters = Readonly<Record<string, unknown>>;
type Callback = (error: Error | null, response: IncomingMessage | null) => void;

/**
 * The client's own connection limits only the time until the first byte of an answer, reads answers of any length, and
 * prints errors after the first byte to standard output.
 */
export class BoundedConnection extends Connection {
  override request(parameters: Parameters, callback: Callback): ClientRequest {
    const { timeout, body } = parameters as { readonly timeout: number; readonly body?: string };
    const request = this.makeRequest({
      ...this.buildRequestObject({ ...parameters, body: undefined, timeout: undefined }),
    }) as ClientRequest;
    let settled = false;
    const settle = (error: Error | null, response: IncomingMessage | null): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      if (error !== null) request.destroy();
      callback(error, response);
    };
    const fail = (error: Error): void => settle(error, null);
    // Answers that arrived while the event loop was blocked are read before the time limit counts.
    const timer = setTimeout(
      () => setImmediate(() => fail(new errors.TimeoutError(`no answer within ${timeout} ms`, never))),
      timeout,
    );
    request.on('error', (error: NodeJS.ErrnoException) => fail(new errors.ConnectionError(error.code ?? error.name)));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > mostBytes) fail(new errors.ConnectionError('an answer is too long'));
      });
      response.on('error', () => fail(new errors.ConnectionError('an answer broke off')));
      response.on('close', () => fail(new errors.ConnectionError('an answer broke off')));
      response.on('end', () => {
        // No compression was asked for, and a compressed answer could expand without a bound.
        if (response.headers['content-encoding'] !== undefined)
          fail(new errors.ConnectionError('an answer is compressed'));
        else if (response.complete) settle(null, repeated(response, chunks));
      });
    });
    request.setNoDelay(true);
    request.end(body);
    const abort = (): void => fail(new errors.RequestAbortedError('aborted'));
    return { abort } as unknown as ClientRequest;
  }
}

/** The client sets the context of an error itself. */
const never = undefined as never;

/** A response that was read, in the form that the client reads. */
function repeated({ statusCode, headers }: IncomingMessage, chunks: readonly Buffer[]): IncomingMessage {
  return Object.assign(Readable.from(chunks, { objectMode: false }), { statusCode, headers }) as IncomingMessage;
}
