// The context of one HTTP exchange, from arrival to access log: request id, client address, caller, abort signal.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from '@hapi/hapi';
import { anonymous, type Call, type Caller, type Credential } from '#core/kernel/caller';
import type { Clock, Ids } from '#core/kernel/time';
import { clientAddress, type TrustedProxies } from './addresses.ts';
import type { Hold } from '#core/kernel/held-bytes';

const saneRequestId = /^[A-Za-z0-9._-]{1,128}$/;
const longestUserAgent = 512;
/** nginx's status for a client that hung up before the answer was whole. */
const hungUp = 499;
const switching = 101;

export interface AccessLogEntry {
  /** RFC 3339, when the request arrived. */
  readonly time: string;
  readonly requestId: string;
  readonly method: string;
  /**
   * The path pattern; the id of an operation that is no REST, such as a git service; `-` where nothing matched. Never
   * the path itself.
   */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  /** Sent, headers included. */
  readonly bytes: number;
  readonly userId?: string;
  readonly credential?: Credential['kind'];
}

export class Exchange {
  readonly requestId: string;
  readonly ip: string;
  readonly now: Date;
  /**
   * The header of that name, which hapi no longer sees: it would decide on the condition once more, and takes quadratic
   * time for blanks.
   */
  readonly ifNoneMatch: string | undefined;
  route = '-';
  /** Whose route it is. */
  plugin: string | undefined;
  /** Of its path, decoded. */
  params: Readonly<Record<string, string>> = {};
  caller: Caller = anonymous;
  /** Who the credential that was presented proves at a later moment. */
  callerAt: (now: Date) => Promise<Caller> = async () => anonymous;
  /** What its body takes of the memory; undefined until one is read. */
  hold: Hold | undefined;
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

  /** Ends what runs for this call. */
  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }

  /** Ends the exchange where its connection goes on under another protocol. */
  switched(answer: ServerResponse): void {
    this.#switched = true;
    answer.emit('close');
  }

  /** Whether nobody waits for the answer any more. */
  get abandoned(): boolean {
    return this.#aborted;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort();
    return this.#controller.signal;
  }

  call(caller = this.caller, now = this.now): Call {
    // Few operations look at the signal, so it is made for those that do.
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
