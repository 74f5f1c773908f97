// Makes the handler of a route descriptor: the request pipeline. Everything that can be prepared is done once.
import { Readable } from 'node:stream';
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { AccessDecision } from '#core/kernel/access/access';
import type { Call } from '#core/kernel/caller';
import type { PageSessions } from '#core/kernel/access/credentials';
import { callerKey, type CurrentCaller } from '#core/kernel/access/current-caller';
import { Conflict, HexforgeError, NotFound, Unavailable, ValidationFailed } from '#core/kernel/errors';
import type { Log } from '#core/kernel/services/log';
import type { PortTraits } from '#core/kernel/ports';
import { answeredWithin } from '../overload/answer-limit.ts';
import { answerCheck, type AnswerCheck } from '../reply/answers.ts';
import { identifier, presentedIn, readCookies, type CsrfProtection, type Identifying } from '../request/credentials.ts';
import { allowAnyOrigin } from '../reply/cors.ts';
import type { ExternalPaths } from '../reply/external-paths.ts';
import { failure, stackOf, type Failure } from '../descriptor/errors.ts';
import { AccessRecheck, type Exchange } from '../request/exchange.ts';
import { keptTexts } from '../request/kept-form.ts';
import type { MemoryBudget } from '#core/kernel/limits/memory-budget';
import { readFormWithFiles } from '../request/multipart.ts';
import { defaultMaxBytes, formMaxBytes, readAnyJson, readForm, readJson } from '../request/parsed-body.ts';
import { AnswerTooLarge } from '../reply/json-text.ts';
import { chargeRepository, takeOfRepository, type RateDecision } from '../overload/rate-limiter.ts';
import { errorResponse, jsonError, plainError, respond, withPageSession } from '../reply/reply.ts';
import { carriesBody, drain, requestBytes, uploaded } from '../request/request-body.ts';
import type { ResponseCache } from '../reply/response-cache.ts';
import type { OptionalPortName, RawBody, Route } from '../descriptor/route.ts';
import type { PageDocument, PageFrame } from '../descriptor/page-frame.ts';
import type { HtmlPage, KeptTexts } from '../descriptor/html.ts';
import { acceptsHtml, failsWithPage, framing, leadsToSignIn, pageOf, signInFirst } from './pages.ts';
import type { Entry } from './routing.ts';
import { compile, type Check } from '../descriptor/validation.ts';

export interface OwnedRoute {
  readonly plugin: string;
  readonly route: Route;
  /** Whether the plugin is from outside: its answers are checked and unknown members removed. */
  readonly outside?: boolean;
}

export type AbsentPort = (
  name: string,
) => { readonly component: string; readonly absent: PortTraits['absent'] } | undefined;

export interface Wiring extends Identifying {
  readonly access: AccessDecision;
  readonly currentCaller: CurrentCaller;
  readonly csrf: CsrfProtection;
  /** Returns a value if the optional port has no provider. */
  readonly absentPort: AbsentPort;
  /** Returns the current provider of an optional port. */
  readonly optionalPort: (name: OptionalPortName) => unknown;
  /** The error for a path or method that does not exist for the caller. */
  readonly nothingHere: (request: Request) => Promise<HexforgeError>;
  /** Serves an unknown path or method, also a route that is hidden because its port is absent. Metered. */
  readonly nowhere: (request: Request, h: ResponseToolkit) => Promise<ResponseObject>;
  readonly log: Log;
  readonly secureCookies: boolean;
  readonly paths: ExternalPaths;
  /** The frame of pages, if a plugin provides one. */
  readonly frame: () => PageFrame | undefined;
  /** Renews sessions of browsers, if a plugin provides it. */
  readonly pageSessions: () => PageSessions | undefined;
  readonly validateResponses: boolean;
  readonly cache: ResponseCache;
  readonly stopping: AbortSignal;
  /** The recheck interval in milliseconds. */
  readonly recheckMs: number;
  /** See `answeredWithin`. */
  readonly answerMs: number;
  /** Tracks running work, so that a stop can wait for it. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
}

const stateChanging = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const none: Readonly<Record<string, string>> = Object.freeze({});

/** The full path of a route. */
export const pathOf = ({ mount, path }: Route): string => (mount === 'root' ? path : `/api/v1${path}`);

export function routeEntry({ plugin, route, outside = false }: OwnedRoute, wiring: Wiring): Entry {
  const path = pathOf(route);
  // Protocols that are not REST are labelled by operation: one path pattern of git has several services.
  const label = route.hidden === true && route.mount === 'root' && path.includes('{') ? route.id : path;
  const { requires = [] } = route;
  /** The component of the first absent port. `hidden` selects the ports whose absence hides the route. */
  const missing = (hidden: boolean): string | undefined => {
    for (const name of requires) {
      const port = wiring.absentPort(name);
      if (port !== undefined && (port.absent === 'hidden') === hidden) return port.component;
    }
    return undefined;
  };
  const required = (): object =>
    requires.length === 0 ? none : Object.fromEntries(requires.map((name) => [name, wiring.optionalPort(name)]));
  const changing = stateChanging.has(route.method);
  const page = route.result === 'html';
  const identify = identifier(
    {
      ...route,
      presented: ({ authorization }) => presentedIn(authorization),
      // Outside of the API, cookies authenticate pages and what is shown in them.
      ...(route.mount === 'root' && { pageSessions: wiring.pageSessions }),
      ...(changing && page && route.fromOtherSites !== true && { guard: wiring.csrf.checkForm }),
      ...(changing && !page && route.cookies === true && { guard: wiring.csrf.check }),
      ...(route.there !== undefined && { known: thereFor(route, route.there, wiring) }),
    },
    wiring,
  );
  // Access is rechecked while an answer is sent only for reads: the answer to a change reports its outcome, and its
  // caller may receive all of it.
  const reading = route.method === 'GET' || route.meter === 'api.read' || route.meter === 'mcp.tool_call';
  // Git's services, which stream their bodies, have separate concurrency limits.
  const kind = route.body === 'raw' ? undefined : reading ? 'read' : 'change';
  const readInput = inputReader(route, wiring.admission.memory);
  const check = outside || wiring.validateResponses ? answerCheck(plugin, route, outside) : undefined;

  const serve = async (request: Request, h: ResponseToolkit, exchange: Exchange): Promise<ResponseObject> => {
    if (missing(true) !== undefined) return wiring.nowhere(request, h);
    const cookies = route.cookies === true ? readCookies(request.raw.req.headers.cookie) : none;
    if (route.cors === true && route.there === undefined) allowAnyOrigin(request.raw.res);
    const rate = await identify(request, exchange, cookies);
    const key = callerKey(exchange.caller, exchange.ip);
    return wiring.admission.queues.run(key, kind, () =>
      wiring.currentCaller.run(key, () => serveCaller(request, h, exchange, cookies, rate)),
    );
  };

  const serveCaller = async (
    request: Request,
    h: ResponseToolkit,
    exchange: Exchange,
    cookies: Readonly<Record<string, string>>,
    rate: RateDecision | undefined,
  ): Promise<ResponseObject> => {
    const { params } = exchange;
    exchange.resource = route.resource?.(params);
    const call = exchange.call();
    await route.open?.(call);
    // The path parameters are not validated yet: whether they are well formed is revealed only to callers that may know
    // the resource.
    const granted = await wiring.access.decide(call, route.access, route.scope ?? undefined, params);
    if (rate?.refusal !== undefined) throw rate.refusal;
    await takeOfRepository(route, wiring.admission.limiter, request, granted);
    const recheck = new AccessRecheck(() => wiring.access.renew(call), wiring.recheckMs);
    const late = !request.raw.req.complete && carriesBody(request.raw.req);
    const absent = missing(false);
    if (absent !== undefined)
      throw new Unavailable(`The ${absent} is not available`, { detail: 'Ask the administrator to enable it' });
    const input = {
      ...(await readInput(request, late ? recheck : undefined)),
      granted,
      ports: required(),
      cookies,
      header: (name: string) => headerOf(request, name),
      get url() {
        return urlOf(request);
      },
      get crossSite() {
        return wiring.csrf.isCrossSite(request.raw.req.headers);
      },
      browser: acceptsHtml(request.raw.req.headers.accept),
      charge: async (of: { readonly resource: unknown }) =>
        chargeRepository(route.meter, wiring.admission.limiter, request, of),
    };
    const answer = async (): Promise<ResponseObject> => {
      const result: unknown = await performed(() => route.run(call as never, input as never), recheck);
      const response = await respond(request, h, result, {
        route,
        input: [input.params, input.query],
        secureCookies: wiring.secureCookies,
        paths: wiring.paths,
        caller: exchange.caller,
        cache: wiring.cache,
        check,
        framed: framing(wiring.frame, request, urlOf(request))(granted),
        hooks: {
          recheck: reading ? recheck : undefined,
          stopping: wiring.stopping,
          ended: () => exchange.abort(),
          failed: (error) => failed(exchange, error),
        },
      });
      if (reading)
        await recheck.hold().catch((error: unknown) => {
          // The source of a streamed answer is open and must be closed.
          if (response.source instanceof Readable) response.source.destroy();
          throw error;
        });
      return response;
    };
    return outside
      ? answeredWithin(wiring.answerMs, `plugin "${plugin}", route "${route.id}"`, request, answer)
      : answer();
  };

  const failed = (exchange: Exchange, error: unknown): void => {
    if (exchange.abandoned) return;
    const { requestId } = exchange;
    wiring.log.error({ requestId, plugin, route: label, stack: stackOf(error) }, 'a response broke off');
  };

  const answered = async (request: Request, h: ResponseToolkit): Promise<ResponseObject> => {
    const { exchange } = request.app;
    exchange.route = label;
    exchange.plugin = plugin;
    try {
      return await serve(request, h, exchange);
    } catch (error) {
      if (page && wiring.frame() !== undefined && leadsToSignIn(error, request))
        return signInFirst(h, urlOf(request), wiring.paths);
      return refuse(request, h, error, {
        basic: route.basic === true,
        ...(failsWithPage(route, request) && { framed: framing(wiring.frame, request, urlOf(request))() }),
        log: wiring.log,
        check: outside ? check : undefined,
        reword: route.refusal,
        kept: await keptTexts(request, route, wiring.admission.memory),
      });
    } finally {
      exchange.hold?.release();
    }
  };

  const handler = async (request: Request, h: ResponseToolkit): Promise<ResponseObject> =>
    withPageSession(await answered(request, h), request.app.exchange, wiring);

  return {
    method: route.method,
    path,
    visible: () => missing(true) === undefined,
    there: route.there,
    cors: route.cors === true,
    page,
    handler: (request, h) => wiring.track(handler(request, h)),
  };
}

/**
 * Runs the operation. A conflict may be caused by deleting the resource of the path, or the caller, at the same time;
 * the access recheck then throws the error for that instead.
 */
async function performed(run: () => unknown, recheck: AccessRecheck): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Conflict) await recheck.renew();
    throw error;
  }
}

interface Refusing {
  /** Whether a 401 carries the Basic challenge, which git answers. */
  readonly basic?: boolean;
  /** Makes the document of a page, if the answer is shown in a browser. */
  readonly framed?: (page: HtmlPage, status: number) => Promise<PageDocument>;
  readonly log: Log;
  readonly check?: AnswerCheck | undefined;
  readonly reword?: Route['refusal'];
  /** The texts of the form that was refused. */
  readonly kept?: KeptTexts;
}

/** The answer to a failure; internal errors are logged under the request id that the client receives. */
export async function refuse(
  request: Request,
  h: ResponseToolkit,
  error: unknown,
  { basic = false, framed, log, check, reword = (told) => told, kept }: Refusing,
): Promise<ResponseObject> {
  const { exchange } = request.app;
  const { requestId, plugin } = exchange;
  const bearer = /^bearer /i.test(headerOf(request, 'authorization') ?? '');
  const told = reword(checked(failure(error, { requestId, basic, bearer }), check, requestId), error, exchange.params);
  if (told.status === 500 && !exchange.abandoned)
    log.error(
      { requestId, plugin, route: exchange.route, stack: stackOf(error), remedy: remedyOf(error) },
      'a request failed',
    );
  // A refusal without a cause, such as that of a disabled plugin, is not logged.
  if (
    told.status === 507 ||
    (told.status === 503 && error instanceof Error && (error.cause !== undefined || !(error instanceof HexforgeError)))
  )
    log.warn(
      { requestId, plugin, route: exchange.route, problem: told.body['error'], stack: stackOf(error) },
      'a component is not available',
    );
  if (error instanceof AnswerTooLarge)
    log.warn({ requestId, plugin, route: exchange.route }, 'an answer was over the bound of all answers');
  await drain(request.raw.req);
  const plain = basic && headerOf(request, 'user-agent')?.startsWith('git/') === true;
  const written = framed
    ? await framed(pageOf(told, request, kept), told.status)
    : plain
      ? plainError(told)
      : jsonError(told);
  return errorResponse(h, told, written);
}

/** Errors of a plugin from outside may only have the members that their route declares. */
function checked(told: Failure, check: AnswerCheck | undefined, requestId: string): Failure {
  if (check === undefined) return told;
  try {
    return { ...told, body: check.json(told.body, 500) as Failure['body'] };
  } catch (error) {
    return failure(error, { requestId });
  }
}

/** The remedy for an operator, if an internal error names one. */
const remedyOf = (error: unknown): string | undefined =>
  error instanceof HexforgeError && error.kind === 'internal' ? error.detail : undefined;

/** A route that does not exist for its caller answers like an unknown path, also to pages of other origins. */
const thereFor =
  ({ cors }: Route, there: (call: Call) => Promise<boolean>, { nothingHere }: Wiring) =>
  async (request: Request): Promise<void> => {
    if (!(await there(request.app.exchange.call()))) throw await nothingHere(request);
    if (cors === true) allowAnyOrigin(request.raw.res);
  };

/** Validates params, query and body with schemas that are compiled once. */
function inputReader(
  route: Route,
  memoryBudget: MemoryBudget,
): (
  request: Request,
  recheck: AccessRecheck | undefined,
) => Promise<{ params: unknown; query: unknown; body: unknown }> {
  const asIs: Check = (value) => value;
  const params = route.params === undefined ? asIs : compile(route.params, 'params');
  const query = route.query === undefined ? () => ({}) : compile(route.query, 'query');
  const { body, maxBytes = route.form === true ? formMaxBytes : defaultMaxBytes } = route;
  const checkBody =
    body === undefined || typeof body === 'string' ? undefined : compile(body, route.form === true ? 'form' : 'body');
  const read =
    route.files === true
      ? readFormWithFiles
      : route.form === true
        ? readForm
        : body === 'json'
          ? readAnyJson
          : readJson;
  return async (request, recheck) => {
    if (route.refusesTrailingSlash === true) refuseTrailingSlash(request);
    const { exchange } = request.app;
    const readBody = async (check: Check): Promise<unknown> => {
      const hold = memoryBudget.hold(callerKey(exchange.caller, exchange.ip));
      exchange.hold = hold;
      const sent = await read(request.raw.req, maxBytes, hold.take);
      if (route.kept !== undefined) exchange.form = sent as typeof exchange.form;
      const value = check(sent);
      await recheck?.renew();
      return value;
    };
    const raw = (): RawBody => {
      const bytes = requestBytes(request.raw.req, maxBytes);
      return recheck === undefined ? bytes : uploaded(bytes, recheck);
    };
    return {
      params: params(request.app.exchange.params),
      query: query(request.query),
      body:
        body === 'raw'
          ? raw()
          : body === 'json'
            ? () => readBody((value) => value)
            : checkBody && (await readBody(checkBody)),
    };
  };
}

/** The router ignores a trailing slash, so the raw URL is checked. */
function refuseTrailingSlash({ raw }: Request): void {
  if (raw.req.url?.split('?', 1)[0]?.endsWith('/') !== true) return;
  throw new ValidationFailed('The path is not complete', { detail: 'What should follow its last slash is missing' });
}

function headerOf(request: Request, name: string): string | undefined {
  const value = request.raw.req.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

const dotSegment = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** See `Input.url`. */
function urlOf({ raw, path }: Request): string {
  const url = raw.req.url ?? '';
  const end = url.search(/[?#]/);
  const sent = end === -1 ? url : url.slice(0, end);
  const resolved = dotSegment.test(sent) ? path : sent;
  const query = end === -1 || url[end] === '#' ? '' : url.slice(end).split('#', 1)[0];
  return (
    (resolved.length > 1 && resolved.endsWith('/') ? resolved.slice(0, -1) : resolved) + (query === '?' ? '' : query)
  );
}

export const noRoute = (): NotFound => new NotFound('There is nothing at this path');
