// Limits the connections per client, and closes all connections gracefully when the server stops.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientNetwork } from '#core/kernel/network';
import { clientAddress, type TrustedProxies } from './addresses.ts';
import { refuseConnection } from './broken-requests.ts';

/** Connections one client may have at once, by its IPv4 address or IPv6 /64; trusted proxies have no limit. */
export const connectionsPerClient = 1024;
/** A request that was in flight on an idle connection when the stop began is still answered within this time. */
const lingerMilliseconds = 100;
/** Milliseconds that a client has to close its side after the server has ended the connection. */
const closeMilliseconds = 400;

export interface ConnectionsOptions {
  readonly proxies: TrustedProxies;
  readonly requestId: () => string;
  readonly perClient?: number | undefined;
}

export class Connections {
  /** The unfinished answers of each connection; a client may send the next request before it has received an answer. */
  readonly #answers = new Map<Socket, Set<ServerResponse>>();
  readonly #perClient = new Map<string, number>();
  readonly #options: ConnectionsOptions;
  #ending = false;
  #allClosed: (() => void) | undefined;

  constructor(listener: Server, options: ConnectionsOptions) {
    this.#options = options;
    listener.on('connection', (socket: Socket) => this.#opened(socket));
    // Node would close idle connections at a stop, even if a request has just arrived on one.
    Object.assign(listener, { closeIdleConnections: () => undefined });
  }

  /** The latest unfinished answer of a connection. */
  current(socket: Socket): ServerResponse | undefined {
    return [...(this.#answers.get(socket) ?? [])].at(-1);
  }

  /** Every unfinished answer. */
  *answers(): Iterable<ServerResponse> {
    for (const answers of this.#answers.values()) yield* answers;
  }

  /** Registers a request. @returns whether it can still be answered; if not, it must not be performed either. */
  begin(socket: Socket, answer: ServerResponse): boolean {
    if (socket.writableEnded || socket.destroyed) return false;
    const answers = this.#answers.get(socket);
    answers?.add(answer);
    answer.once('close', () => {
      answers?.delete(answer);
      if (this.#ending) void this.#retire(socket);
    });
    return true;
  }

  /** Closes idle connections, then each other one when it becomes idle, and after `graceMs` all that remain. */
  async end(graceMs: number): Promise<void> {
    this.#ending = true;
    const closed = new Promise<void>((resolve) => {
      this.#allClosed = resolve;
      if (this.#answers.size === 0) resolve();
    });
    for (const socket of this.#answers.keys()) void this.#retire(socket);
    const grace = new AbortController();
    await Promise.race([closed, sleep(graceMs, undefined, { signal: grace.signal }).catch(() => undefined)]);
    grace.abort();
    for (const socket of this.#answers.keys()) socket.destroy();
  }

  #opened(socket: Socket): void {
    const client = this.#clientOf(socket);
    const open = client === undefined ? 0 : (this.#perClient.get(client) ?? 0);
    if (open >= (this.#options.perClient ?? connectionsPerClient)) {
      refuseConnection(socket, this.#options.requestId());
      return;
    }
    if (client !== undefined) this.#perClient.set(client, open + 1);
    this.#answers.set(socket, new Set());
    socket.once('close', () => {
      this.#answers.delete(socket);
      if (client !== undefined) {
        const left = (this.#perClient.get(client) ?? 1) - 1;
        if (left === 0) this.#perClient.delete(client);
        else this.#perClient.set(client, left);
      }
      if (this.#answers.size === 0) this.#allClosed?.();
    });
  }

  /** Undefined for a trusted proxy, which forwards requests of many clients. */
  #clientOf({ remoteAddress }: Socket): string | undefined {
    const { proxies } = this.#options;
    const address = clientAddress(remoteAddress, undefined, proxies);
    return proxies.trusts(address) ? undefined : clientNetwork(address);
  }

  async #retire(socket: Socket): Promise<void> {
    const busy = (): boolean => (this.#answers.get(socket)?.size ?? 0) > 0;
    if (busy()) return;
    await sleep(lingerMilliseconds, undefined, { ref: false });
    if (busy() || socket.destroyed) return;
    socket.end();
    await sleep(closeMilliseconds, undefined, { ref: false });
    socket.destroy();
  }
}
