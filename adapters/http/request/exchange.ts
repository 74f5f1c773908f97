// The context of one HTTP exchange, from arrival to access log: request id, client address, caller, abort signal.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from '@hapi/hapi';
import { anonymous, type Call, type Caller, type Credential } from '#core/kernel/caller';
import type { Clock, Ids } from '#core/kernel/time';
import { clientAddress, type TrustedProxies } from '../overload/addresses.ts';
import type { MemoryReservation } from '#core/kernel/limits/memory-budget';

const saneRequestId = /^[A-Za-z0-9._-]{1,128}$/;
const longestUserAgent = 512;
/** nginx's status for a client that disconnected before the answer was complete. */
const hungUp = 499;
const switching = 101;

export interface AccessLogEntry {
  /** RFC 3339, when the request arrived. */
  readonly time: string;
  readonly requestId: string;
  readonly method: string;
  /**
   * The path pattern; the operation id for protocols that are not REST, such as git; `-` if no route matched. Never the
   * path itself.
   */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  /** Bytes sent, including headers. */
  readonly bytes: number;
  readonly userId?: string;
  readonly credential?: Credential['kind'];
}

export class Exchange {
  readonly requestId: string;
  readonly ip: string;
  readonly now: Date;
  /**
   * The If-None-Match header. It is removed before hapi sees it, which would evaluate the condition again, and takes
   * quadratic time on blanks.
   */
  readonly ifNoneMatch: string | undefined;
  route = '-';
  /** The plugin that owns the route. */
  plugin: string | undefined;
  /** The decoded path parameters. */
  params: Readonly<Record<string, string>> = {};
  caller: Caller = anonymous;
  /** Renews the caller from the presented credential at a later time. */
  callerAt: (now: Date) => Promise<Caller> = async () => anonymous;
  /** The memory that the request body takes from the memory budget; undefined until a body is read. */
  hold: MemoryReservation | undefined;
  readonly #request: IncomingMessage;
  readonly #clock: Clock;
  readonly #started = performance.now();
  #aborted = false;
  #switched = false;
  #controller: AbortController | undefined;

  constructor(
    request: Request,
    parts: {
      readonly clock: Clock;
      readonly ids: Ids;
      readonly proxies: TrustedProxies;
      readonly accessLog: (entry: AccessLogEntry) => void;
    },
  ) {
    const { raw } = request;
    const { headers, socket } = raw.req;
    const offered = one(headers['x-request-id']);
    this.requestId = offered !== undefined && saneRequestId.test(offered) ? offered : parts.ids.uuid();
    this.ip = clientAddress(socket.remoteAddress, one(headers['x-forwarded-for']), parts.proxies);
    this.ifNoneMatch = headers['if-none-match'];
    delete headers['if-none-match'];
    this.#clock = parts.clock;
    this.now = parts.clock.now();
    this.#request = raw.req;
    const sentBefore = socket.bytesWritten ?? 0;
    raw.res.once('close', () => {
      const { writableFinished, statusCode } = raw.res;
      const status = this.#switched ? switching : writableFinished ? statusCode : hungUp;
      if (status === hungUp) this.abort();
      parts.accessLog(this.#entry(status, (socket.bytesWritten ?? 0) - sentBefore));
    });
  }

  /** Aborts what runs for this call. */
  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }

  /** Ends the exchange when its connection switches to another protocol. */
  switched(answer: ServerResponse): void {
    this.#switched = true;
    answer.emit('close');
  }

  /** Whether the client has disconnected or the exchange was aborted. */
  get abandoned(): boolean {
    return this.#aborted;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort();
    return this.#controller.signal;
  }

  call(caller = this.caller, now = this.now): Call {
    // Few operations use the signal, so it is created on first use.
    const signalOf = (): AbortSignal => this.signal;
    return {
      caller,
      requestId: this.requestId,
      ip: this.ip,
      userAgent: (this.#request.headers['user-agent'] ?? '').slice(0, longestUserAgent),
      get signal() {
        return signalOf();
      },
      now,
      renew: async () => {
        const later = this.#clock.now();
        return this.call(await this.callerAt(later), later);
      },
    };
  }

  #entry(status: number, bytes: number): AccessLogEntry {
    return {
      time: this.now.toISOString(),
      requestId: this.requestId,
      method: this.#request.method ?? '-',
      route: this.route,
      status,
      ms: Math.round((performance.now() - this.#started) * 10) / 10,
      bytes,
      ...(this.caller.kind === 'user' ? { userId: this.caller.id, credential: this.caller.credential.kind } : {}),
    };
  }
}

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    exchange: Exchange;
  }
}
