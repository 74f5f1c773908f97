// A client that measures answers without storing them.
import http from 'node:http';
import type { HostileRequest } from './hostile-requests.ts';

export interface Weighed {
  /** 0 without a complete answer. */
  readonly status: number;
  /** Milliseconds to the first byte of a streaming answer, to the last byte of others. */
  readonly milliseconds: number;
  readonly bytes: number;
  readonly isJson: boolean;
  /** Whether the answer has Retry-After. */
  readonly comeAgain: boolean;
  /** The reason for an incomplete answer. */
  readonly failure?: string;
}

/** The maximum number of bytes that are read of a streaming answer. */
const enough = 64 * 1024 ** 2;

export interface AskOptions {
  /** False: a separate connection. */
  readonly agent: http.Agent | false;
  readonly headers?: Readonly<Record<string, string>>;
  readonly patienceMs: number;
}

/** Measures one request. Never rejects. */
export function weigh(url: string, request: HostileRequest, options: AskOptions): Promise<Weighed> {
  const { promise, resolve } = Promise.withResolvers<Weighed>();
  const start = performance.now();
  let [status, bytes, firstByte, isJson, comeAgain] = [0, 0, 0, false, false];
  const end = (failure?: string): void => {
    clearTimeout(timer);
    resolve({
      status: failure === undefined ? status : 0,
      milliseconds: (request.streams && firstByte > 0 ? firstByte : performance.now()) - start,
      bytes,
      isJson,
      comeAgain,
      ...(failure !== undefined && { failure }),
    });
  };
  // node:http sends a body with methods that usually have none only if its length is set.
  const length = request.body === undefined ? {} : { 'content-length': request.body.length };
  const outgoing = http.request(
    `${url}${request.path}`,
    { method: request.method, agent: options.agent, headers: { ...options.headers, ...request.headers, ...length } },
    (answer) => {
      status = answer.statusCode ?? 0;
      isJson = /json/.test(answer.headers['content-type'] ?? '');
      comeAgain = answer.headers['retry-after'] !== undefined;
      answer.on('data', (chunk: Buffer) => {
        if (firstByte === 0) firstByte = performance.now();
        bytes += chunk.length;
        if (!request.streams || bytes < enough) return;
        end();
        outgoing.destroy();
      });
      answer.once('end', () => end());
      answer.once('error', (error) => end(error.message));
    },
  );
  const timer = setTimeout(() => {
    end(`no end after ${options.patienceMs / 1000} s`);
    outgoing.destroy();
  }, options.patienceMs);
  outgoing.once('error', (error: NodeJS.ErrnoException) => {
    // The server may close an idle connection at the moment of its reuse (RFC 9112, section 9.3.1).
    if (outgoing.reusedSocket && status === 0 && error.code === 'ECONNRESET') {
      clearTimeout(timer);
      resolve(weigh(url, request, { ...options, agent: false }));
    } else end(error.message);
  });
  outgoing.end(request.body, 'latin1');
  return promise;
}
