// The connections of clients before hapi sees their requests: their number per client, one running request on each, the
// form of requests, the minimum transfer rate, the time limits between requests, and the end of connections when the
// server stops.
import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listed } from '../headers/lists.ts';
import { BetweenRequests, type WaitLimits } from './between-requests.ts';
import { refuseConnection, refuseTunnel } from './broken-requests.ts';
import { activeConnections, ServerResponse } from './node-http.ts';
import { looksPerWindow, PaceOfExchange, type Pace } from './pace.ts';

/** Connections one client may have at once, by its IPv4 address or IPv6 /64; trusted proxies have no limit. */
const connectionsPerClient = 1024;
/** Pipelined requests queued per connection before it is paused. Up to 2,600 may have been read by then. */
const readAhead = 16;
/** Requests queued in total, at 3 KB each. Past it, a connection that exceeds its read-ahead is closed. */
const mostWaiting = 10_000;
/** A request that was in flight on an idle connection when the stop began is still answered within this time. */
const lingerMilliseconds = 100;
/** Milliseconds that a client has to close its side after the server has ended the connection. */
const closeMilliseconds = 400;

export interface ConnectionsOptions {
  /** The client at a socket's address; undefined for a trusted proxy, which forwards requests of many clients. */
  readonly clientAt: (address: string | undefined) => string | undefined;
  readonly requestId: () => string;
  readonly pace: Pace;
  readonly wait: WaitLimits;
  readonly perClient?: number | undefined;
  readonly requestsWaiting?: number | undefined;
}

interface Connection {
  readonly socket: Socket;
  readonly between: BetweenRequests;
  /** The pipelined requests that wait for the running one. */
  readonly waiting: (() => void)[];
  /** The answer to the running request, and the transfer rates of both. */
  answer: ServerResponse | undefined;
  pace: PaceOfExchange | undefined;
  /** Whether a request is running or about to begin. */
  busy: boolean;
  /** Whether requests are read from it; false after a request to switch protocols. */
  reads: boolean;
}

type Handle = (request: IncomingMessage, answer: ServerResponse) => void;

export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #perClient = new Map<string, number>();
  readonly #options: ConnectionsOptions;
  readonly #looking: NodeJS.Timeout;
  /** The waiting requests of all connections. */
  #waiting = 0;
  #ending = false;
  #allClosed: (() => void) | undefined;

  /**
   * Wraps the request listeners that are already registered: of the requests of one connection, each begins in a later
   * event loop iteration than the end of the previous answer. Node emits all requests of one packet in one iteration,
   * and sends their answers in order anyway.
   */
  constructor(listener: Server, options: ConnectionsOptions) {
    this.#options = options;
    listener.on('connection', (socket: Socket) => this.#opened(socket));
    // Node would close idle connections at a stop, even if a request has just arrived on one.
    Object.assign(listener, { closeIdleConnections: () => undefined });
    for (const event of ['request', 'checkContinue'] as const) {
      const handles = listener.listeners(event) as Handle[];
      listener.removeAllListeners(event).on(event, (request: IncomingMessage, answer: ServerResponse) =>
        this.#take(request, answer, () => {
          for (const handle of handles) handle(request, answer);
        }),
      );
    }
    listener.on('connect', (request: IncomingMessage, socket: Socket) => {
      // Node no longer reads from the connection, nor handles its errors.
      socket.on('error', () => socket.destroy());
      const connection = this.#open.get(socket);
      if (connection !== undefined) connection.reads = false;
      this.#take(request, new ServerResponse(request), () => refuseTunnel(socket, options.requestId()));
    });
    const windows = [...Object.values(options.wait), options.pace.bodyMilliseconds, options.pace.answerMilliseconds];
    const every = Math.max(1, Math.min(...windows) / looksPerWindow);
    this.#looking = setInterval(() => {
      const active = activeConnections(listener);
      for (const { pace, busy, reads, socket, between } of this.#open.values()) {
        pace?.look(every);
        const exceeded = busy || !reads ? undefined : between.look(every, socket.bytesRead, active.has(socket));
        if (exceeded === 'idle') socket.destroy();
        else if (exceeded === 'head') listener.emit('clientError', new LateHead(), socket);
      }
    }, every).unref();
  }

  /** The unfinished answer of a connection. */
  current(socket: Socket): ServerResponse | undefined {
    return this.#open.get(socket)?.answer;
  }

  /** Closes idle connections, then each other one when it becomes idle, and after `graceMs` all that remain. */
  async end(graceMs: number): Promise<void> {
    this.#ending = true;
    const closed = new Promise<void>((resolve) => {
      this.#allClosed = resolve;
      if (this.#open.size === 0) resolve();
    });
    for (const connection of this.#open.values()) void this.#retire(connection);
    const grace = new AbortController();
    await Promise.race([closed, sleep(graceMs, undefined, { signal: grace.signal }).catch(() => undefined)]);
    grace.abort();
    clearInterval(this.#looking);
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #opened(socket: Socket): void {
    const client = this.#options.clientAt(socket.remoteAddress);
    const open = client === undefined ? 0 : (this.#perClient.get(client) ?? 0);
    if (open >= (this.#options.perClient ?? connectionsPerClient)) {
      refuseConnection(socket, this.#options.requestId());
      return;
    }
    if (client !== undefined) this.#perClient.set(client, open + 1);
    const between = new BetweenRequests(this.#options.wait);
    const connection = { socket, between, waiting: [], answer: undefined, pace: undefined, busy: false, reads: true };
    this.#open.set(socket, connection);
    // Node resumes the socket after each request, and reading a body resumes it too.
    socket.on('resume', () => holdBack(connection));
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#forget(connection);
      if (client !== undefined) {
        const left = (this.#perClient.get(client) ?? 1) - 1;
        if (left === 0) this.#perClient.delete(client);
        else this.#perClient.set(client, left);
      }
      if (this.#open.size === 0) this.#allClosed?.();
    });
  }

  #take(request: IncomingMessage, answer: ServerResponse, handle: () => void): void {
    const { socket } = request;
    const connection = this.#open.get(socket);
    // A request that cannot be answered must not be performed.
    if (connection === undefined || socket.writableEnded || socket.destroyed) {
      socket.destroy();
      return;
    }
    if (asksToSwitch(request)) connection.reads = false;
    const begin = (): void => {
      // Node does not assign the socket to the answer of an upgrade request.
      if (answer.socket === null) answer.assignSocket(socket);
      connection.answer = answer;
      connection.pace = new PaceOfExchange(answer, this.#options.pace);
      answer.once('close', () => this.#answered(connection));
      handle();
    };
    if (connection.busy) this.#wait(connection, begin);
    else {
      connection.busy = true;
      begin();
    }
  }

  #wait(connection: Connection, begin: () => void): void {
    const { socket, waiting } = connection;
    if (isFull(connection) && this.#waiting >= (this.#options.requestsWaiting ?? mostWaiting)) {
      socket.destroy();
      return;
    }
    this.#waiting += 1;
    // The request must not run in the async context of the previous one.
    waiting.push(AsyncResource.bind(begin));
    // Only after the whole packet is parsed: a connection that switches to another protocol must still be read.
    if (waiting.length === readAhead) process.nextTick(holdBack, connection);
  }

  #answered(connection: Connection): void {
    connection.answer = undefined;
    connection.pace = undefined;
    if (connection.waiting.length > 0) setImmediate(() => this.#next(connection));
    else {
      connection.busy = false;
      connection.between.begin(connection.socket.bytesRead);
      if (this.#ending) void this.#retire(connection);
    }
  }

  #next(connection: Connection): void {
    const { socket, waiting } = connection;
    if (socket.destroyed || socket.writableEnded) {
      this.#forget(connection);
      return;
    }
    const wasFull = isFull(connection);
    const begin = waiting.shift();
    this.#waiting -= 1;
    if (wasFull && !isFull(connection)) socket.resume();
    begin?.();
  }

  #forget({ waiting }: Connection): void {
    this.#waiting -= waiting.length;
    waiting.length = 0;
  }

  async #retire(connection: Connection): Promise<void> {
    const { socket } = connection;
    if (connection.busy) return;
    await sleep(lingerMilliseconds, undefined, { ref: false });
    if (connection.busy || socket.destroyed) return;
    socket.end();
    await sleep(closeMilliseconds, undefined, { ref: false });
    socket.destroy();
  }
}

/** The error that Node itself raises for a late head. */
class LateHead extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}

const isFull = ({ reads, waiting }: Connection): boolean => reads && waiting.length >= readAhead;

function holdBack(connection: Connection): void {
  if (isFull(connection)) connection.socket.pause();
}

/** By request, the bytes that arrived after it. */
const heads = new WeakMap<IncomingMessage, Buffer>();

/**
 * Whether a request opens a WebSocket, judged by its head (RFC 6455, section 4.1). The upgrade is ignored for other
 * requests.
 */
export const opensWebSocket = ({ method, headers, httpVersion }: IncomingMessage): boolean =>
  method === 'GET' &&
  httpVersion === '1.1' &&
  offersWebSocket(headers.upgrade) &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined;

/** `Upgrade` is a list of protocols (RFC 9110, section 7.8). */
const offersWebSocket = (upgrade: string | undefined): boolean =>
  listed(upgrade).some((protocol) => protocol.toLowerCase() === 'websocket');

/** A scheme and an authority. */
const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+/i;

/**
 * Must be called before other request listeners are added. A request to switch protocols takes the same steps and gets
 * the same errors as others, until a handler takes over its connection. The connection is closed if it is refused.
 */
export function emitUsualRequests(listener: Server): void {
  for (const event of ['request', 'checkContinue']) listener.on(event, toOriginForm);
  listener.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    heads.set(request, head);
    // Node no longer handles errors of this socket.
    socket.on('error', () => socket.destroy());
    const answer = new ServerResponse(request);
    answer.shouldKeepAlive = false;
    answer.once('finish', () => socket.destroySoon());
    listener.emit('request', request, answer);
  });
}

/**
 * Rewrites absolute form, `GET http://forge.example/path`, to origin form (RFC 9112, section 3.2): hapi parses the
 * query of an absolute URL in quadratic time; in origin form it reads at most 1000 parameters.
 */
function toOriginForm(request: IncomingMessage): void {
  const { url = '' } = request;
  const [start] = origin.exec(url) ?? [];
  // An invalid origin is left unchanged; the request is rejected later because of its URL.
  if (start === undefined || !URL.canParse(start)) return;
  const rest = url.slice(start.length);
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Takes over the connection of an upgrade request; the calling code owns it afterwards. `head` contains the bytes that
 * arrived after the request.
 */
export function takeOver(
  request: IncomingMessage,
  answer: ServerResponse,
): { readonly socket: Socket; readonly head: Buffer } | undefined {
  const head = heads.get(request);
  const { socket } = request;
  if (head === undefined || socket.destroyed) return undefined;
  heads.delete(request);
  answer.detachSocket(socket);
  return { socket, head };
}

export const asksToSwitch = (request: IncomingMessage): boolean => heads.has(request);
