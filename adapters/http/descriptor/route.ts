// The route descriptor: a plugin's declaration of one operation, from which the hapi route and its OpenAPI entry are
// made.
import Joi from 'joi';
import type { AccessRule, CallOf, GrantOf } from '#core/kernel/access/access';
import type { Call } from '#core/kernel/caller';
import type { OptionalPorts } from '#core/kernel/ports';
import type { Meter } from '#core/kernel/rate';
import type { ScopeName } from '#core/kernel/access/scopes';
import type { Failure } from './errors.ts';
import type { HtmlPage, KeptTexts } from './html.ts';
import { shape, uuid, word, type TypeOf } from './shape.ts';

/**
 * A joi object schema checked against a hand-written interface: a missing key, an extra key or a wrong type does not
 * compile.
 */
export const object = <T>(schema: Joi.StrictSchemaMap<T>): Joi.ObjectSchema<T> =>
  Joi.object<T, true>(schema) as Joi.ObjectSchema<T>;

/** The HTTP methods that a route can have. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A cookie that an answer sets: always `HttpOnly`, and `Secure` if the forge is on https. */
export interface Cookie {
  readonly name: string;
  /** An empty value clears the cookie. */
  readonly value: string;
  readonly sameSite: 'Lax' | 'Strict';
  /** A path of the server; the path of the external URL is added. `/` covers the API and the pages. */
  readonly path: string;
  readonly maxAgeSeconds: number;
}

/** The parts of an answer beside its body. */
export interface ReplyOptions {
  /** Overrides the route's `success`. */
  readonly status?: number;
  /**
   * In `location`, `content-location` and `link` the path of the external URL is added to paths of the server, such as
   * `/api/v1/x/bell/1`.
   */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly Cookie[];
  /**
   * Unquoted entity tag; a matching If-None-Match turns a 200 into a 304 without body. `true`: a digest of the body,
   * which must be JSON.
   */
  readonly etag?: string | true;
  /** The body is not final: a later answer with the same tag will differ. It is sent without a tag and not cached. */
  readonly provisional?: true;
}

/** An answer with more than a body. */
export class Reply<R> {
  readonly body: R;
  readonly options: ReplyOptions;

  constructor(body: R, options: ReplyOptions = {}) {
    this.body = body;
    this.options = options;
  }
}

/**
 * An answer with its own status, headers, cookies or entity tag.
 *
 * @example
 *   const answer = reply({ id: '1' }, { status: 202, headers: { location: '/api/v1/x/bell/1' } });
 */
export const reply = <R>(body: R, options?: ReplyOptions): Reply<R> => new Reply(body, options);

/** An answer whose entity tag is known before its body is made. */
export class Tagged<R> {
  readonly etag: string;
  readonly make: () => Promise<R | Reply<R>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(etag: string, make: () => Promise<R | Reply<R>>, headers: Readonly<Record<string, string>>) {
    this.etag = etag;
    this.make = make;
    this.headers = headers;
  }
}

/**
 * A conditional response: a 200 whose body is made only if needed. A client that has the body receives 304, and JSON is
 * served from the response cache while it has an entry for this caller, input and tag (see `sameForAll`).
 * @param etag unquoted; besides the caller, `params` and `query` it must cover everything that the body depends on.
 * @param headers for both the 200 and the 304.
 *
 * @example
 *   const answer = tagged(`bells-${now.getTime()}`, async () => ({ bells: await bells.of('site', 30) }));
 */
export const tagged = <R>(
  etag: string,
  make: () => Promise<R | Reply<R>>,
  headers: Readonly<Record<string, string>> = {},
): Tagged<R> => new Tagged(etag, make, headers);

/** A body of bytes, streamed and never kept in memory as a whole. */
export class ByteStream {
  readonly source: AsyncIterable<Uint8Array>;
  readonly type: string;
  /** Total bytes, if known. */
  readonly length: number | undefined;

  constructor(source: AsyncIterable<Uint8Array>, options: { readonly type: string; readonly length?: number }) {
    this.source = source;
    this.type = options.type;
    this.length = options.length;
  }
}

/**
 * A raw body as a handler receives it: bytes as they arrive, bounded by the route's `maxBytes`, decompressed if
 * Content-Encoding is gzip. The iteration throws if the caller loses access while the body arrives.
 */
export type RawBody = AsyncIterable<Uint8Array>;

/**
 * Reads a body of JSON when the handler asks for it, with the limits of all JSON bodies. An absent body is an empty
 * object. Texts may contain NUL and halves of surrogate pairs, which no database can store.
 * @throws {UnsupportedMediaType | MalformedJson | ValidationFailed | PayloadTooLarge}
 */
export type JsonBody = () => Promise<unknown>;

/** The names of optional ports, which a route can require. */
export type OptionalPortName = keyof OptionalPorts & string;

/** The input of `run`, beside the call. */
export interface Input<P, Q, B, A, O extends OptionalPortName = never> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The proof of a `permitted` rule, with the resource it resolved. */
  readonly granted: GrantOf<A>;
  /** The optional ports that the route `requires`; they are always present. */
  readonly ports: { readonly [K in O]: OptionalPorts[K] };
  /** Cookies of the request, if the route reads them. */
  readonly cookies: Readonly<Record<string, string>>;
  /** One request header by its lower-case name, for the few operations whose protocol uses headers (`git-protocol`). */
  readonly header: (name: string) => string | undefined;
  /**
   * The path and the query of the request, percent-encoded as the client sent them, without a trailing slash and dot
   * segments.
   */
  readonly url: string;
  /** Whether a page of another site made the browser send the request, by its `Origin` or `Sec-Fetch-Site`. */
  readonly crossSite: boolean;
  /** Whether the client shows pages: its `Accept` names HTML. */
  readonly browser: boolean;
  /**
   * Charges the budget of a repository that `run` itself has decided on. The host charges that of `granted`.
   * @throws {RateLimited} if it is used up.
   */
  readonly charge: (granted: { readonly resource: unknown }) => Promise<void>;
}

/** The declared body of success: a schema, bytes, a page for browsers, or no body. */
type Result = Joi.AnySchema | 'bytes' | 'html' | 'empty';

/** The body that `run` returns, by the declared result. */
type BodyOf<R> = R extends 'bytes'
  ? ByteStream
  : R extends 'html'
    ? HtmlPage
    : R extends 'empty'
      ? undefined | void
      : TypeOf<R>;
type Answer<T> = T | Reply<T> | Tagged<T>;

/** `/repos/{owner}/{repo}/raw/{path*}` → `{ owner: string; repo: string; path: string }` */
export type PathParams<Path extends string> = string extends Path
  ? Readonly<Record<string, string>>
  : Path extends `${string}{${infer Name}}${infer Rest}`
    ? { readonly [K in Name extends `${infer Bare}*` ? Bare : Name]: string } & PathParams<Rest>
    : unknown;

/** One operation, as `api` takes it. */
export interface RouteSpec<
  P,
  Q,
  B,
  R extends Result,
  A extends AccessRule,
  Path extends string = string,
  O extends OptionalPortName = OptionalPortName,
> {
  /** Unique, camelCase: `repositoryCreate`. OpenAPI's operationId. */
  readonly id: string;
  readonly summary: string;
  readonly method: Method;
  /**
   * Below `/api/v1`, such as `/repos/{owner}/{repo}`; below `/` with `mount: 'root'`. `{name*}` takes the rest of the
   * path.
   */
  readonly path: Path;
  readonly mount?: 'root';
  readonly access: A;
  /** The row of the scope catalogue that a token must satisfy; null if every credential is accepted. */
  readonly scope: ScopeName | null;
  /** Default: `api.read` for GET, `api.write` for every other method. */
  readonly meter?: Meter;
  /**
   * Optional ports that the operation needs. If one is absent, the route does not exist (for a port declared `hidden`)
   * or answers 503 naming the component. `run` receives them as `ports`.
   */
  readonly requires?: readonly O[];
  /** Default: every path parameter is a non-empty text, and `{id}` a uuid. */
  readonly params?: Joi.ObjectSchema<P>;
  /** Unknown query parameters are ignored. */
  readonly query?: Joi.ObjectSchema<Q>;
  /**
   * Unknown members are rejected with 400 `unknown_field`. `'raw'`: the handler reads the bytes itself (`RawBody`).
   * `'json'`: the handler reads JSON of any form itself (`JsonBody`).
   */
  readonly body?: Joi.ObjectSchema<B> | 'raw' | 'json';
  /** Default 1 MiB. */
  readonly maxBytes?: number;
  /** Rejects a trailing slash with 400, because a path must follow it. Other routes ignore a trailing slash. */
  readonly refusesTrailingSlash?: true;
  /**
   * The status of success. Default 200, or 204 if `result` is `empty`; 302 and 303 for a redirect, 308 for a path that
   * has moved.
   */
  readonly success?: 200 | 201 | 202 | 204 | 302 | 303 | 308;
  /**
   * The body of success: a schema, bytes, a page, or no body. With `html`, errors are pages too, the operation is not
   * in the OpenAPI document, and forms of other sites are rejected with or without a cookie.
   */
  readonly result: R;
  /**
   * Error statuses of the operation itself. Those that follow from the descriptor (401 of a bad credential, 403 of a
   * missing scope, 400, 413 and 415 of a body, 429 of a meter) are added.
   */
  readonly statuses?: readonly number[];
  /**
   * Members that error bodies of this operation may have beside the envelope, such as `existing_repo_id`; all optional.
   */
  readonly errorMembers?: Joi.ObjectSchema;
  /**
   * The promise that all permitted callers receive the same answer: the body depends neither on the caller nor on the
   * caller's permissions. A `tagged` answer is then cached once for all callers; without the promise it is cached per
   * caller, and once for all anonymous callers. A broken promise shows one caller's answer to another.
   */
  readonly sameForAll?: true;
  /** The session cookie authenticates here too. */
  readonly cookies?: true;
  /**
   * The body is `application/x-www-form-urlencoded`: each member is a text, an empty one counts as absent, unknown ones
   * are ignored, and a repeated one is 400.
   */
  readonly form?: true;
  /** The form may also be `multipart/form-data`. Its files are of the class `UploadedFile`. */
  readonly files?: true;
  /** Forms of other sites may be posted to the page; `run` distinguishes them by `crossSite`. */
  readonly fromOtherSites?: true;
  /** Links and other sites lead browsers here: a client whose `Accept` names HTML is shown errors as pages. */
  readonly errorPages?: true;
  /**
   * The Authorization header does not contain a credential of an account but one that the operation reads itself; the
   * caller is anonymous.
   */
  readonly ownCredentials?: true;
  /**
   * Pages of any origin may call it, without cookies: every answer has CORS headers, and OPTIONS answers their
   * preflight.
   */
  readonly cors?: true;
  /**
   * Whether the operation exists for this caller. If not, the answer is the same as for an unknown path, and no budget
   * is charged.
   */
  readonly there?: (call: Call) => Promise<boolean>;
  /**
   * Throws if the operation is switched off. Called before the access decision, so that callers are not asked to sign
   * in for it.
   */
  readonly open?: (call: Call) => Promise<void>;
  /**
   * RFC 8707: the protected resource that the operation is, in its canonical form. Only OAuth2 tokens that are bound to
   * it are accepted.
   */
  readonly resource?: (params: Readonly<Record<string, string>>) => string;
  /** Changes an error to the format of the operation's protocol, if that has its own. */
  readonly refusal?: (failure: Failure, error: unknown, params: Readonly<Record<string, string>>) => Failure;
  /**
   * HTTP Basic with an account's password authenticates here too, and 401 carries a Basic challenge (git over HTTP).
   */
  readonly basic?: true;
  /** Marked in the OpenAPI document. Its answers have the headers of `deprecation`. */
  readonly deprecated?: true;
  /** Not in the OpenAPI document: protocols that are not REST. */
  readonly hidden?: true;
  run(call: CallOf<A>, input: Input<P, Q, B, A, O>): Promise<Answer<BodyOf<R>>> | Answer<BodyOf<R>>;
}

/** A route with its defaults and without its type parameters. */
export type Route = Omit<RouteSpec<unknown, unknown, unknown, Result, AccessRule>, 'run' | 'meter'> & {
  readonly meter: Meter;
  /** The texts of a form of a page that the page of its refusal shows, so that they are not lost. */
  readonly kept?: (form: Readonly<Record<string, unknown>>) => KeptTexts;
  run(call: never, input: never): unknown;
};

/**
 * Declares one operation. The types of input and output follow from the schemas, the proof of access from `access`.
 *
 * @example
 *   routes: ({ bells }) => [
 *     api({
 *       id: 'bellList',
 *       summary: 'List the bells of a repository',
 *       method: 'GET',
 *       path: '/{owner}/{repo}/bells',
 *       access: reads('repository', 'repo.read'),
 *       scope: 'repo.read',
 *       result: shape({ bells: list(word()) }),
 *       run: async (_call, { granted }) => ({ bells: await bells.of(granted.resource.id, 30) }),
 *     }),
 *   ],
 */
export function api<
  const A extends AccessRule,
  const Path extends string,
  P = PathParams<Path>,
  Q = Record<never, never>,
  B = undefined,
  const R extends Result = Result,
  const O extends OptionalPortName = never,
>(spec: RouteSpec<P, Q, B, R, A, Path, O>): Route {
  const { meter, success, params, ...rest } = spec;
  const named = params ?? paramsOf(String(spec.path));
  return {
    ...rest,
    meter: meter ?? (spec.method === 'GET' ? 'api.read' : 'api.write'),
    success: success ?? (spec.result === 'empty' ? 204 : 200),
    ...(named !== undefined && { params: named }),
  } as unknown as Route;
}

/** Undefined if nothing remains to be checked: the router only matches non-empty segments. */
export function paramsOf(path: string): Joi.ObjectSchema | undefined {
  const named = [...path.matchAll(/\{(\w+)(\*?)\}/g)];
  if (named.every(([, name, rest]) => name !== 'id' && rest === '')) return undefined;
  return shape(Object.fromEntries(named.map(([, name = '']) => [name, name === 'id' ? uuid() : word()])));
}
