// Maps typed errors to HTTP responses, in one place: status, headers and error envelope.
import { inspect } from 'node:util';
import {
  HexforgeError,
  InsufficientScope,
  MethodNotAllowed,
  RateLimited,
  Unavailable,
  type ErrorKind,
} from '#core/kernel/errors';
import { exhaustedResource } from '#core/kernel/access/resources';
import type { HtmlPage } from './html.ts';
import { rateHeaders } from '../overload/rate-limiter.ts';

/** A Bearer challenge needs at least one parameter (RFC 6750, section 3). */
export const bearerChallenge = 'Bearer realm="hexforge"';

/** The HTTP status of each kind of error. */
export const statusOf = {
  validation_failed: 400,
  unknown_field: 400,
  malformed_json: 400,
  unauthorized: 401,
  insufficient_scope: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  upgrade_required: 426,
  rate_limited: 429,
  internal: 500,
  bad_gateway: 502,
  unavailable: 503,
  timed_out: 504,
  insufficient_storage: 507,
} as const satisfies Record<ErrorKind, number>;

export interface Failure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** The page to show in a browser, if the operation answers with pages and has one for this error. */
  readonly page?: HtmlPage;
}

interface Circumstances {
  readonly requestId: string;
  /** Whether a 401 carries the Basic challenge, which git answers. */
  readonly basic?: boolean;
  /** Whether a bearer token was sent: a 401 then reports that it is invalid (RFC 6750, section 3.1). */
  readonly bearer?: boolean;
}

/** The HTTP response for an error. */
export function failure(error: unknown, context: Circumstances): Failure {
  const isTyped = error instanceof HexforgeError && error.kind !== 'internal';
  const typed = isTyped ? error : exhaustedResource(error, 'the data of the server');
  if (typed === undefined) return fault(context.requestId);
  const { code, detail, message } = typed;
  return {
    status: statusOf[typed.kind],
    headers: headersOf(typed, context),
    body: {
      error: message,
      ...(detail === undefined ? {} : { detail: clipped(detail) }),
      error_code: code,
      ...typed.body,
    },
  };
}

/** Bounds the detail, which may quote the request. */
const longestDetail = 2000;
const clipped = (text: string): string =>
  text.length > longestDetail ? `${text.slice(0, longestDetail).toWellFormed()}…` : text;

/** An unexpected error reveals nothing but the request id, by which it is found in the log. */
function fault(requestId: string): Failure {
  return {
    status: 500,
    headers: {},
    body: {
      error: 'The server failed to answer',
      detail: `Quote the request id ${requestId} when you report this`,
      error_code: 'internal',
    },
  };
}

function headersOf(error: HexforgeError, { basic = false, bearer = false }: Circumstances): Record<string, string> {
  if (error instanceof InsufficientScope)
    return { 'www-authenticate': `Bearer error="insufficient_scope", scope="${error.scope}"` };
  // Every refusal of a token names the reason in a challenge (RFC 6750, section 3).
  if (error.code === 'insufficient_scope') return { 'www-authenticate': 'Bearer error="insufficient_scope"' };
  if (error.code === 'invalid_audience') return { 'www-authenticate': 'Bearer error="invalid_token"' };
  if (error instanceof MethodNotAllowed) return { allow: error.allow.join(', ') };
  if (error instanceof RateLimited)
    return {
      ...(error.count !== undefined && rateHeaders(error.count, error.count.resource)),
      'retry-after': String(error.retryAfter),
    };
  if (error instanceof Unavailable && error.retryAfter !== undefined)
    return { 'retry-after': String(error.retryAfter) };
  // RFC 6455, section 4.4, and RFC 9110, section 7.8.
  if (error.kind === 'upgrade_required')
    return { upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-version': '13' };
  if (error.kind === 'unauthorized')
    return {
      'www-authenticate': basic ? 'Basic realm="hexforge"' : bearer ? 'Bearer error="invalid_token"' : bearerChallenge,
    };
  return {};
}

/** Stacks of an error and its causes, for the log only. */
export function stackOf(error: unknown): string {
  const stacks: string[] = [];
  for (
    let current = error;
    current !== undefined && stacks.length < 4;
    current = current instanceof Error ? current.cause : undefined
  ) {
    stacks.push(
      current instanceof Error ? (current.stack ?? current.message) : `thrown: ${inspect(current, { depth: 1 })}`,
    );
  }
  return stacks.join('\ncaused by: ');
}
