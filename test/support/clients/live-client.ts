// A client of live updates: opens a WebSocket, records its messages and how it was closed.
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';

export interface LiveOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: readonly string[];
}

export interface Told {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly at: string;
}

/** The answer if the server does not upgrade. */
export interface Refusal {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export class LiveClient {
  readonly told: Told[] = [];
  /** The headers of the answer that upgraded. */
  readonly headers: IncomingMessage['headers'];
  /** Code and reason, when the connection has closed. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly socket: WebSocket;
  #wake: () => void = () => undefined;

  constructor(socket: WebSocket, headers: IncomingMessage['headers']) {
    this.socket = socket;
    this.headers = headers;
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        resolve({ code, reason: reason.toString() });
        this.#wake();
      });
    });
    socket.on('message', (bytes: Buffer) => {
      this.told.push(JSON.parse(bytes.toString()) as Told);
      this.#wake();
    });
    socket.on('error', () => undefined);
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Resolves to all messages when there are at least `count`. @throws {Error} if the connection closes before. */
  async until(count: number): Promise<readonly Told[]> {
    while (this.told.length < count) {
      if (this.socket.readyState === WebSocket.CLOSED)
        throw new Error(`the connection ended after ${this.told.length} of ${count} messages`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.told;
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }
}

/** @param url of the server, with the scheme http. */
export function follow(
  url: string,
  path: string,
  { headers = {}, protocols = [] }: LiveOptions = {},
): Promise<LiveClient | Refusal> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, [...protocols], { headers: { ...headers } });
  const { promise, resolve, reject } = Promise.withResolvers<LiveClient | Refusal>();
  socket.once('upgrade', ({ headers: received }: IncomingMessage) => resolve(new LiveClient(socket, received)));
  socket.once('error', reject);
  socket.once('unexpected-response', (_, response: IncomingMessage) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.once('end', () => {
      const text = Buffer.concat(chunks).toString();
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: text === '' ? undefined : JSON.parse(text),
      });
    });
  });
  return promise;
}

/** @throws {Error} if the server does not upgrade. */
export async function followed(url: string, path: string, options?: LiveOptions): Promise<LiveClient> {
  const client = await follow(url, path, options);
  if (client instanceof LiveClient) return client;
  throw new Error(`${path} answered ${client.status}: ${JSON.stringify(client.body)}`);
}

/** @throws {Error} if the server upgrades. */
export async function notFollowed(url: string, path: string, options?: LiveOptions): Promise<Refusal> {
  const answer = await follow(url, path, options);
  if (!(answer instanceof LiveClient)) return answer;
  await answer.close();
  throw new Error(`${path} was upgraded`);
}
