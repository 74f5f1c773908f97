// The context of one HTTP exchange, from arrival to access log: request id, client address behind trusted proxies,
// caller, access rechecks, abort signal.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Request } from '@hapi/hapi';
import { anonymous, type Call, type Caller, type Credential } from '#core/kernel/caller';
import type { Clock, Ids } from '#core/kernel/time';
import type { PageSession } from '#core/kernel/access/credentials';
import type { MemoryReservation } from '#core/kernel/limits/memory-budget';
import { listed } from '../headers/lists.ts';

const saneRequestId = /^[A-Za-z0-9._-]{1,128}$/;
const longestUserAgent = 512;
/** nginx's status for a client that disconnected before the answer was complete. */
const hungUp = 499;
const switching = 101;

export interface AccessLogEntry {
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

/** Writes one line when an exchange ends. The log adds the time. */
export interface AccessLog {
  info(entry: AccessLogEntry, message: 'request'): void;
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
  /** The protected resource that the request was sent to. */
  resource: string | undefined;
  /** The token of the session cookie that authenticated the caller. */
  cookieToken: string | undefined;
  /** The session that a page token renewed, which the answer writes into cookies; `ended` removes them. */
  pageSession: PageSession | 'ended' | undefined;
  /** Renews the caller from the presented credential at a later time. */
  callerAt: (now: Date) => Promise<Caller> = async () => anonymous;
  /** The memory that the request body takes from the memory budget; undefined until a body is read. */
  hold: MemoryReservation | undefined;
  /** The members of the form that was sent; undefined until it is read. */
  form: Readonly<Record<string, unknown>> | undefined;
  /** Whether the client has disconnected or the exchange was aborted. */
  abandoned = false;
  readonly #request: IncomingMessage;
  readonly #clock: Clock;
  readonly #started = performance.now();
  #switched = false;
  #controller: AbortController | undefined;

  constructor(
    request: Request,
    parts: {
      readonly clock: Clock;
      readonly ids: Ids;
      readonly proxies: TrustedProxies;
      readonly accessLog: AccessLog;
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
      parts.accessLog.info(this.#entry(status, (socket.bytesWritten ?? 0) - sentBefore), 'request');
    });
  }

  /** Aborts what runs for this call. */
  abort(): void {
    this.abandoned = true;
    this.#controller?.abort();
  }

  /** Ends the exchange when its connection switches to another protocol. */
  switched(answer: ServerResponse): void {
    this.#switched = true;
    answer.emit('close');
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.abandoned) this.#controller.abort();
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
      ...(this.resource !== undefined && { resource: this.resource }),
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

export interface TrustedProxies {
  trusts(address: string): boolean;
}

/**
 * Parses addresses and CIDR ranges such as `10.0.0.0/8` or `::1`.
 * @throws {Error} naming the entry that is neither.
 */
export function trustedProxies(entries: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits, ...rest] = entry.trim().split('/');
    const version = isIP(address);
    const prefix = bits === undefined ? undefined : Number(bits);
    const widest = version === 4 ? 32 : 128;
    const badPrefix = prefix !== undefined && (!/^\d{1,3}$/.test(bits ?? '') || prefix > widest);
    if (version === 0 || badPrefix || rest.length > 0)
      throw new Error(`trusted proxy "${entry}" is neither an address nor a range such as 10.0.0.0/8`);
    const family = version === 4 ? 'ipv4' : 'ipv6';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, prefix, family);
  }
  return { trusts: (address) => entries.length > 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') };
}

/**
 * The client's address: the nearest hop that is not a trusted proxy. Hops are read from the right, because each proxy
 * appends the address it received from, so an `X-Forwarded-For` made up by the client is ignored.
 */
export function clientAddress(
  remote: string | undefined,
  forwardedFor: string | undefined,
  proxies: TrustedProxies,
): string {
  let address = plain(remote ?? '') ?? 'unknown';
  if (forwardedFor === undefined || address === 'unknown') return address;
  const hops = [...listed(forwardedFor)];
  while (hops.length > 0 && proxies.trusts(address)) {
    const hop = plain(hops.pop() ?? '');
    if (hop === undefined) break;
    address = hop;
  }
  return address;
}

/** The address without port, brackets, zone and IPv4-in-IPv6 mapping, or undefined if the text is not an address. */
function plain(text: string): string | undefined {
  const trimmed = text.trim();
  const bare = /^\[(.+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  const unzoned = bare.split('%')[0] ?? '';
  const mapped = /^::ffff:([\d.]+)$/i.exec(unzoned)?.[1] ?? unzoned;
  return isIP(mapped) === 0 ? undefined : mapped.toLowerCase();
}

/** Access rechecks during a transfer: how long one access decision is valid while a body is received or sent. */
export class AccessRecheck {
  readonly #ask: () => Promise<unknown>;
  readonly #milliseconds: number;
  #askedAt = performance.now();

  /** @param ask performs the access recheck; throws if the credential or the access is lost. */
  constructor(ask: () => Promise<unknown>, milliseconds: number) {
    this.#ask = ask;
    this.#milliseconds = milliseconds;
  }

  /** Rechecks access if the last check is older than the recheck interval. */
  async hold(): Promise<void> {
    if (performance.now() - this.#askedAt >= this.#milliseconds) await this.renew();
  }

  /** Rechecks access now. @throws {Unauthorized | InsufficientScope | Forbidden | NotFound} */
  async renew(): Promise<void> {
    await this.#ask();
    this.#askedAt = performance.now();
  }
}

/** The default recheck interval, in milliseconds. */
export const recheckMs = 5_000;

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    exchange: Exchange;
  }
}
