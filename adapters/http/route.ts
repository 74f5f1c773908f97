// The route descriptor: what a plugin says of one operation, from which the hapi route and its OpenAPI entry are made.
import Joi from 'joi';
import type { AccessRule, CallOf, GrantOf } from '#core/kernel/access';
import type { Call } from '#core/kernel/caller';
import type { OptionalPorts } from '#core/kernel/ports';
import type { Meter } from '#core/kernel/rate';
import type { ScopeName } from '#core/kernel/scopes';
import type { Failure } from './errors.ts';
import type { HtmlPage } from './html.ts';
import { shape, uuid, word, type TypeOf } from './shape.ts';

/**
 * A joi object schema checked against a hand-written interface: a missing key, an extra key or a wrong kind does not
 * compile.
 */
export const object = <T>(schema: Joi.StrictSchemaMap<T>): Joi.ObjectSchema<T> =>
  Joi.object<T, true>(schema) as Joi.ObjectSchema<T>;

/** The HTTP methods that a route can have. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A cookie that an answer sets: always `HttpOnly`, and `Secure` where the forge is on https. */
export interface Cookie {
  readonly name: string;
  /** Empty clears the cookie. */
  readonly value: string;
  readonly sameSite: 'Lax' | 'Strict';
  readonly path: string;
  readonly maxAgeSeconds: number;
}

/** What an answer has beside its body. */
export interface ReplyOptions {
  /** Over the route's `success`. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly Cookie[];
  /**
   * Unquoted entity tag; a matching If-None-Match turns a 200 into a 304 without body. `true`: a digest of the body,
   * which is JSON.
   */
  readonly etag?: string | true;
  /** Not yet what its tag names: the same thing will read otherwise later. It has no tag and is not cached. */
  readonly provisional?: true;
}

/** An answer that needs more than its body. */
export class Reply<R> {
  readonly body: R;
  readonly options: ReplyOptions;

  constructor(body: R, options: ReplyOptions = {}) {
    this.body = body;
    this.options = options;
  }
}

/**
 * An answer with a status, headers, cookies or an entity tag of its own.
 *
 * @example
 *   const answer = reply({ id: '1' }, { status: 202, headers: { location: '/api/v1/x/bell/1' } });
 */
export const reply = <R>(body: R, options?: ReplyOptions): Reply<R> => new Reply(body, options);

/** An answer known by its entity tag before it is made. */
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
 * A conditional response: a 200 whose body is made only where it is needed. A client that has it is answered with 304,
 * and JSON comes from the response cache while that holds it for this caller, input and tag (see `sameForAll`).
 * @param etag unquoted; besides the caller, `params` and `query` it must name all that the body follows from.
 * @param headers of the 200 and the 304 alike.
 *
 * @example
 *   const answer = tagged(`bells-${now.getTime()}`, async () => ({ bells: await bells.of('site', 30) }));
 */
export const tagged = <R>(
  etag: string,
  make: () => Promise<R | Reply<R>>,
  headers: Readonly<Record<string, string>> = {},
): Tagged<R> => new Tagged(etag, make, headers);

/** A body that is bytes, sent as they come and never held whole. */
export class ByteStream {
  readonly source: AsyncIterable<Uint8Array>;
  readonly type: string;
  /** Bytes in all, where known. */
  readonly length: number | undefined;

  constructor(source: AsyncIterable<Uint8Array>, options: { readonly type: string; readonly length?: number }) {
    this.source = source;
    this.type = options.type;
    this.length = options.length;
  }
}

/**
 * What a raw body is to a handler: bytes as they arrive, counted against the route's `maxBytes`, inflated where
 * Content-Encoding is gzip. It ends in a refusal where the caller has lost access while it came.
 */
export type RawBody = AsyncIterable<Uint8Array>;

/** The names of optional ports, which a route can require. */
export type OptionalPortName = keyof OptionalPorts & string;

/** What `run` of a route receives beside the call. */
export interface Input<P, Q, B, A, O extends OptionalPortName = never> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The proof of a `permitted` rule, with the thing it resolved. */
  readonly granted: GrantOf<A>;
  /** The optional ports that the route `requires`: here they are there. */
  readonly ports: { readonly [K in O]: OptionalPorts[K] };
  /** Cookies of the request, where the route reads them. */
  readonly cookies: Readonly<Record<string, string>>;
  /**
   * One request header by its lower-case name, for the few operations whose protocol lives in headers (`git-protocol`).
   */
  readonly header: (name: string) => string | undefined;
}

/** What the body of success is declared to be: a schema, bytes, a page for browsers, or nothing. */
type Result = Joi.AnySchema | 'bytes' | 'html' | 'empty';

/** What `run` yields for it. */
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
   * Under `/api/v1`, such as `/repos/{owner}/{repo}`; under `/` with `mount: 'root'`. `{name*}` takes the rest of the
   * path.
   */
  readonly path: Path;
  readonly mount?: 'root';
  readonly access: A;
  /** The row of the scope catalogue that a token must satisfy; null where any credential will do. */
  readonly scope: ScopeName | null;
  /** Default: `api.read` for GET, `api.write` for every other method. */
  readonly meter?: Meter;
  /**
   * Optional ports without which there is no answer: where one is absent the route is not there, if its declaration
   * says `hidden`, and 503 naming the component otherwise. `run` has them as `ports`.
   */
  readonly requires?: readonly O[];
  /** Default: every parameter that the path names is text that is not empty, and `{id}` a uuid. */
  readonly params?: Joi.ObjectSchema<P>;
  /** Unknown query parameters are ignored. */
  readonly query?: Joi.ObjectSchema<Q>;
  /** Unknown members are refused with 400 `unknown_field`. `'raw'`: the handler reads the bytes itself. */
  readonly body?: Joi.ObjectSchema<B> | 'raw';
  /** Default 1 MiB. */
  readonly maxBytes?: number;
  /**
   * A slash at the end of its path is 400, for a path that should follow is missing. Elsewhere such a slash is passed
   * over.
   */
  readonly refusesTrailingSlash?: true;
  /** The status of success. Default 200, and 204 where `result` is `empty`; 308 of a path that has moved. */
  readonly success?: 200 | 201 | 202 | 204 | 308;
  /**
   * The body of success: a schema, bytes, a page, or nothing. Where it is `html` refusals are pages too, the operation
   * is not in the OpenAPI document, and a form of another site is refused whether or not a cookie comes with it.
   */
  readonly result: R;
  /**
   * Error statuses the operation itself can give. Those that follow from the descriptor (401 of a bad credential, 403
   * of a missing scope, 400, 413 and 415 of a body, 429 of a meter) are added.
   */
  readonly statuses?: readonly number[];
  /**
   * Members that error bodies of this operation may carry beside the envelope, such as `existing_repo_id`; all
   * optional.
   */
  readonly errorMembers?: Joi.ObjectSchema;
  /**
   * The promise that whoever may ask is told the same: nothing in the body follows from who asks or from what they
   * may do. A `tagged` answer is then cached once for all callers; without the promise each has their own, and
   * anonymous ones share one. A promise that is not kept shows one caller's answer to another.
   */
  readonly sameForAll?: true;
  /** The session cookie authenticates here too. */
  readonly cookies?: true;
  /**
   * The body is `application/x-www-form-urlencoded`: each member is a text, an empty one is absent, unknown ones are
   * ignored, and a repeated one is 400.
   */
  readonly form?: true;
  /**
   * The Authorization header holds no credential of an account but one of the operation's own, which it reads itself:
   * the caller is anonymous.
   */
  readonly ownCredentials?: true;
  /** Pages of any origin may call it, without cookies: every answer says so, and OPTIONS answers their preflight. */
  readonly cors?: true;
  /**
   * Whether the operation is there for this caller. Where it is not the answer is that of a path nothing is at, and
   * nothing is metered.
   */
  readonly there?: (call: Call) => Promise<boolean>;
  /**
   * Throws where the operation is switched off for everybody. Asked before the access decision, so that nobody is told
   * to sign in for it.
   */
  readonly open?: () => Promise<void>;
  /** Words a refusal as the operation's protocol does, where that has a shape of its own. */
  readonly refusal?: (failure: Failure, error: unknown) => Failure;
  /**
   * HTTP Basic with an account's password authenticates here too, and 401 carries a Basic challenge (git over HTTP).
   */
  readonly basic?: true;
  /** Not in the OpenAPI document: protocols that are no REST. */
  readonly hidden?: true;
  run(call: CallOf<A>, input: Input<P, Q, B, A, O>): Promise<Answer<BodyOf<R>>> | Answer<BodyOf<R>>;
}

/** A route whose types have done their work, with its defaults. */
export type Route = Omit<RouteSpec<unknown, unknown, unknown, Result, AccessRule>, 'run' | 'meter'> & {
  readonly meter: Meter;
  run(call: never, input: never): unknown;
};

/**
 * Declares one operation. Shapes come from the schemas, the proof of access from `access`.
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

/** Undefined where nothing is left to check: the router finds each segment to be text that is not empty. */
export function paramsOf(path: string): Joi.ObjectSchema | undefined {
  const named = [...path.matchAll(/\{(\w+)(\*?)\}/g)];
  if (named.every(([, name, rest]) => name !== 'id' && rest === '')) return undefined;
  return shape(Object.fromEntries(named.map(([, name = '']) => [name, name === 'id' ? uuid() : word()])));
}
