// The HTTP server: hapi over route descriptors, from listen to graceful shutdown.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import Hapi, { type Lifecycle, type Request, type ResponseObject, type ResponseToolkit } from '@hapi/hapi';
import { clientNetwork } from '#core/kernel/access/current-caller';
import { HexforgeError, MethodNotAllowed, NotFound, ValidationFailed } from '#core/kernel/errors';
import type { LiveFeed } from '#core/kernel/storage/live';
import type { ScopeCatalogue } from '#core/kernel/access/scopes';
import type { Clock, Ids } from '#core/kernel/time';
import { answerMs } from './overload/answer-limit.ts';
import { admit, type OverloadOptions } from './overload/admit.ts';
import { defaultIdleMilliseconds, headMilliseconds } from './overload/between-requests.ts';
import { allowAnyOrigin, answerPreflight } from './reply/cors.ts';
import { externalPaths } from './reply/external-paths.ts';
import type { PageSessions } from '#core/kernel/access/credentials';
import { csrfProtection } from './request/credentials.ts';
import { meterOf } from './request/absent.ts';
import { clientAddress, Exchange, recheckMs, trustedProxies, type AccessLog } from './request/exchange.ts';
import type { OwnedChannel } from './live/channel.ts';
import { channelEntry } from './live/channel-route.ts';
import { Followers } from './live/followers.ts';
import { liveLimits, type LiveLimits } from './live/follower.ts';
import { emitUsualRequests, opensWebSocket } from './overload/connections.ts';
import { stackOf } from './descriptor/errors.ts';
import type { PageFrame } from './descriptor/page-frame.ts';
import { openapiDocument } from './routes/openapi.ts';
import { madeOnce } from './reply/made-once.ts';
import { createServer } from './overload/node-http.ts';
import { everyMethod } from './overload/broken-requests.ts';
import { ResponseCache } from './reply/response-cache.ts';
import { noRoute, refuse, routeEntry, type OwnedRoute, type Wiring } from './routes/routes.ts';
import { acceptsHtml } from './routes/pages.ts';
import { Routing, type Entry } from './routes/routing.ts';
import { systemRoutes, type SystemParts } from './routes/system-routes.ts';

export interface HttpOptions
  extends
    Pick<Wiring, 'authenticator' | 'access' | 'currentCaller' | 'absentPort' | 'optionalPort' | 'log'>,
    Omit<SystemParts, 'document'>,
    OverloadOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Addresses and ranges whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  readonly routes: readonly OwnedRoute[];
  readonly channels: readonly OwnedChannel[];
  /** Delivers the messages for followers of channels. */
  readonly feed: LiveFeed;
  readonly scopes: ScopeCatalogue;
  /** Checks every JSON answer against its schema; a mismatch is a 500 whose reason is logged. For tests. */
  readonly validateResponses?: boolean;
  /** The recheck interval in milliseconds. Default: 5 s. */
  readonly recheckMs?: number | undefined;
  /** The time limit in milliseconds for answers of plugins from outside. Default: 60 s. */
  readonly answerMs?: number;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly accessLog: AccessLog;
  /** For tests. */
  readonly live?: Partial<LiveLimits>;
}

export interface HttpServer {
  /**
   * @returns the URL it listens on.
   * @throws {Error} of node:net, such as `EADDRINUSE` by its `code`.
   */
  listen(): Promise<string>;
  openapi(): Promise<object>;
  /** Refuses new connections, waits at most `graceMs` for running requests, ends event streams at once. */
  stop(graceMs: number): Promise<void>;
}

/** Bodies are read after the access decision, with our own bounds, and not by hapi. */
const payload = {
  output: 'stream',
  parse: false,
  override: 'application/octet-stream',
  maxBytes: Number.MAX_SAFE_INTEGER,
  timeout: false,
} as const;

/** Time that handlers have to end after the stop has closed their connections. */
const settleMilliseconds = 1_000;

const reading: ReadonlySet<string> = new Set(['get', 'head', 'options']);

const absence = (allow: readonly string[]): HexforgeError =>
  allow.length === 0 ? noRoute() : new MethodNotAllowed(allow);

export function createHttpServer(options: HttpOptions): HttpServer {
  const { log } = options;
  const proxies = trustedProxies(options.trustedProxies);
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();
  // Made on demand, because it would make the start much longer.
  const openapi = madeOnce(() =>
    openapiDocument({
      ...options,
      routes,
      unshown: ({ error, ...of }) =>
        log.error({ ...of, stack: stackOf(error) }, 'an operation is not in the OpenAPI document'),
    }),
  );
  const routes: readonly OwnedRoute[] = [
    ...systemRoutes({ ...options, document: openapi }).map((route) => ({ plugin: 'system', route })),
    ...options.routes,
  ];

  const idleMs = options.idleMs ?? defaultIdleMilliseconds;
  const listener = createServer({
    // Node writes `Keep-Alive: timeout=75`, and closes the connection a second later.
    keepAliveTimeout: idleMs,
    // The last resort: this time also limits the silence of a new connection. `BetweenRequests` has the limits.
    headersTimeout: 2 * Math.max(idleMs, headMilliseconds),
    // A push may take any time; the minimum transfer rate applies while bodies are read.
    requestTimeout: 0,
    connectionsCheckingInterval: 5_000,
    // Node would reject a request without Host itself, with neither a body nor a request id.
    requireHostHeader: false,
    shouldUpgradeCallback: opensWebSocket,
  });
  emitUsualRequests(listener);
  const server = Hapi.server({
    listener,
    // `admit` closes the connections.
    operations: { cleanStop: false },
    host: options.host,
    port: options.port,
    debug: false,
    router: { stripTrailingSlash: true },
    routes: {
      state: { parse: false, failAction: 'ignore' },
      cache: false,
      response: { emptyStatusCode: 200, ranges: false },
    },
  });
  const admission = admit(
    listener,
    options,
    (remote) => {
      const address = clientAddress(remote, undefined, proxies);
      return proxies.trusts(address) ? undefined : clientNetwork(address);
    },
    () => options.ids.uuid(),
  );
  // Node would answer 417 by itself; an unknown expectation may be ignored (RFC 9110, section 10.1.1).
  listener.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    listener.emit('request', request, response),
  );

  const nothingHere = async (request: Request): Promise<HexforgeError> => {
    const { methods: allow } = await routing.allowed(request.path, request.app.exchange.call());
    return absence(allow);
  };
  const track = <T>(work: Promise<T>): Promise<T> => {
    running.add(work);
    return work.finally(() => running.delete(work));
  };

  server.ext('onRequest', (request, h) => {
    const { req, res } = request.raw;
    const exchange = new Exchange(request, { ...options, proxies });
    request.app.exchange = exchange;
    res.setHeader('x-request-id', exchange.requestId);
    res.setHeader('x-content-type-options', 'nosniff');
    res.setHeader('referrer-policy', 'no-referrer');
    if (timesOf('host', req) !== 1 && req.httpVersion === '1.1')
      throw new ValidationFailed('The request is not valid HTTP', { detail: 'HTTP/1.1 needs the header Host, once' });
    if (!hostForm.test(req.headers.host ?? ''))
      throw new ValidationFailed('The request is not valid HTTP', { detail: 'The header Host is no host with a port' });
    if (timesOf('authorization', req) > 1)
      throw new ValidationFailed('The request is not valid HTTP', { detail: 'It has the header Authorization twice' });
    // The server as a whole (RFC 9110, section 9.3.7).
    if (request.method === 'options' && req.url === '*')
      return h.response().code(204).header('allow', everyMethod).takeover();
    // No name contains NUL, and no database can store it.
    if (request.path.includes('%00')) throw malformedUrl();
    if (!isText(req.url ?? '')) throw malformedUrl('The query is not valid percent-encoded UTF-8');
    return h.continue;
  });
  server.ext('onPreResponse', (request, h) => {
    const { response } = request;
    if ('isBoom' in response && response.isBoom) return refuse(request, h, ourOwn(response), { log });
    if (request.path === '/' && home?.visible() === true && 'vary' in response) response.vary('accept');
    return h.continue;
  });

  const wiring: Wiring = {
    ...options,
    admission,
    csrf: csrfProtection([options.baseUrl, options.webUrl]),
    secureCookies: new URL(options.baseUrl).protocol === 'https:',
    paths: externalPaths(options),
    frame: () => options.optionalPort('PageFrame') as PageFrame | undefined,
    pageSessions: () => options.optionalPort('PageSessions') as PageSessions | undefined,
    validateResponses: options.validateResponses === true,
    cache: new ResponseCache(),
    stopping: stopping.signal,
    recheckMs: options.recheckMs ?? recheckMs,
    answerMs: options.answerMs ?? answerMs,
    nothingHere,
    nowhere: (request, h) => nowhere(request, h),
    track,
  };
  const limits = { ...liveLimits, ...options.live };
  const followers = new Followers(limits, log);
  options.feed.connect(followers);
  const entries = routes.map((owned) => routeEntry(owned, wiring));
  // The page at `/` shares its path with the index.
  const home = entries.find(isHome);
  const routing = new Routing([
    ...entries.filter((entry) => !isHome(entry)),
    // Unknown paths of the API are not taken for those of a repository's pages.
    {
      method: 'GET',
      path: '/api/{path*}',
      visible: () => false,
      cors: false,
      handler: (request, h) => nowhere(request, h),
    },
    ...options.channels.map((owned) => channelEntry(owned, { ...wiring, limits, followers })),
  ]);
  const chargeReads = meterOf('api.read', wiring);
  const chargeChanges = meterOf('api.write', wiring);
  const nowhere = async (request: Request, h: ResponseToolkit): Promise<ResponseObject> => {
    const charge = (): Promise<void> => (reading.has(request.method) ? chargeReads : chargeChanges)(request);
    const asksMethods = request.method === 'options';
    if (!asksMethods) await charge();
    const { methods: allow, cors } = await routing.allowed(request.path, request.app.exchange.call());
    if (asksMethods && allow.length === 0) await charge();
    if (cors) allowAnyOrigin(request.raw.res);
    if (!asksMethods || allow.length === 0) throw absence(allow);
    if (cors) answerPreflight(request.raw, allow);
    return h.response().code(204).header('allow', allow.join(', '));
  };
  const handler: Lifecycle.Method = (request, h) => {
    if (request.path === '/' && (request.method === 'get' || request.method === 'head') && home?.visible() === true) {
      if (acceptsHtml(request.raw.req.headers.accept)) return home.handler(request, h);
    }
    const found = routing.find(request.method, request.path);
    if (found === undefined) return nowhere(request, h);
    request.app.exchange.params = found.params;
    return found.entry.handler(request, h);
  };
  const path = '/{path*}';
  server.route([
    { method: 'GET', path, handler },
    { method: '*', path, handler, options: { payload } },
  ]);

  return {
    openapi,
    async listen() {
      await server.start();
      const { host } = options;
      return `http://${host.includes(':') ? `[${host}]` : host}:${server.info.port}`;
    },
    async stop(graceMs) {
      stopping.abort();
      followers.stop();
      // Accepts pending connections first, so that their requests are answered and not cut off.
      await turn();
      const closed = server.stop();
      await admission.end(graceMs);
      await closed;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, settleMilliseconds);
      void Promise.allSettled(running).then(() => resolve());
      await promise;
      clearTimeout(timer);
    },
  } satisfies HttpServer;
}

const isHome = ({ path, page }: Entry): boolean => path === '/' && page === true;

/**
 * Counts a header. Node keeps the first of several, but a proxy in front may use another one (RFC 9112, section 3.2).
 */
function timesOf(name: string, { rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const text = rawHeaders[index] ?? '';
    if (text.length === name.length && text.toLowerCase() === name) count += 1;
  }
  return count;
}

/** A host and a port (RFC 9110, section 7.2; RFC 3986, section 3.2.2). */
const hostForm = /^(?:\[[0-9a-f:.]+\]|(?:[a-z0-9\-._~!$&'()*+,;=]|%[0-9a-f]{2})*)(?::\d*)?$/i;

const malformedUrl = (detail = 'The path is not valid percent-encoded UTF-8 without NUL'): ValidationFailed =>
  new ValidationFailed('The URL is not valid', { detail });

/** Whether the query is valid UTF-8: invalid bytes would be decoded to U+FFFD, which could name something else. */
function isText(url: string): boolean {
  if (!url.includes('?')) return true;
  const escaped = url.matchAll(/(?:%[0-9a-f]{2})+/gi);
  return escaped.every(([bytes]) => isUtf8(Buffer.from(bytes.replaceAll('%', ''), 'hex')));
}

/** Converts errors that hapi itself raises into our own; internal errors stay unchanged. */
function ourOwn(error: Error & { readonly output: { readonly statusCode: number } }): unknown {
  if (error instanceof HexforgeError) return error;
  const { statusCode } = error.output;
  if (statusCode === 404) return new NotFound('There is nothing at this path');
  return statusCode === 400 ? malformedUrl() : error;
}
