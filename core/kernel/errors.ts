// Typed errors: one class per general error code. Each adapter maps a `kind` to its own protocol once.

import type { Count } from './rate.ts';

/** The general error codes. `adapters/http/descriptor/errors.ts` maps each to its HTTP status. */
export type ErrorKind =
  | 'validation_failed'
  | 'unknown_field'
  | 'malformed_json'
  | 'unauthorized'
  | 'insufficient_scope'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'unprocessable'
  | 'upgrade_required'
  | 'rate_limited'
  | 'internal'
  | 'bad_gateway'
  | 'unavailable'
  | 'timed_out'
  | 'insufficient_storage';

/** Optional parts of an error besides its message. */
export interface ErrorOptions {
  /** A more precise `error_code` than the kind, such as `account_suspended`. */
  readonly code?: string;
  /** A hint for a person: which field is wrong, what to do. */
  readonly detail?: string;
  /** Further members of the response body, such as `existing_repo_id`. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The base class of all deliberate errors. `message` becomes `error` in the response body. */
export abstract class HexforgeError extends Error {
  abstract readonly kind: ErrorKind;
  readonly #options: ErrorOptions;

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.#options = options;
  }

  /** Becomes `error_code` in the response body. */
  get code(): string {
    return this.#options.code ?? this.kind;
  }

  get detail(): string | undefined {
    return this.#options.detail;
  }

  get body(): Readonly<Record<string, unknown>> {
    return this.#options.body ?? {};
  }
}

/** 400: a value is missing, malformed or out of bounds; `detail` names the field. */
export class ValidationFailed extends HexforgeError {
  readonly kind = 'validation_failed';
}

/** 400: the body has a member that the operation does not define. */
export class UnknownField extends HexforgeError {
  readonly kind = 'unknown_field';
}

/** 400: the body is not JSON. */
export class MalformedJson extends HexforgeError {
  readonly kind = 'malformed_json';
}

/** 401: a credential is required and missing, or is invalid. */
export class Unauthorized extends HexforgeError {
  readonly kind = 'unauthorized';
}

/** 403: the token lacks a scope. `scope` is a scope that would be sufficient. */
export class InsufficientScope extends HexforgeError {
  readonly kind = 'insufficient_scope';
  readonly scope: string;

  constructor(scope: string) {
    super('The token does not have the scope this operation needs', {
      detail: `The operation needs the scope "${scope}"`,
    });
    this.scope = scope;
  }
}

/** 403: the caller is authenticated and lacks the permission. */
export class Forbidden extends HexforgeError {
  readonly kind = 'forbidden';
}

/** 404: the resource does not exist, or the caller may not know that it exists. */
export class NotFound extends HexforgeError {
  readonly kind = 'not_found';
}

/**
 * Returns the value unless it is undefined.
 *
 * @example
 *   const known = found(await labels.findOne({ id: '1' }), 'There is no such label');
 *
 * @throws {NotFound} if it is undefined.
 */
export function found<T>(thing: T | undefined, sentence = 'Not found'): T {
  if (thing === undefined) throw new NotFound(sentence);
  return thing;
}

/** 405: the path exists, the method does not. */
export class MethodNotAllowed extends HexforgeError {
  readonly kind = 'method_not_allowed';
  readonly allow: readonly string[];

  constructor(allow: readonly string[]) {
    super('The method is not allowed on this path', { detail: `Allowed: ${allow.join(', ')}` });
    this.allow = allow;
  }
}

/** 409: the state of the resource does not allow the operation. */
export class Conflict extends HexforgeError {
  readonly kind = 'conflict';
}

/** 409: a unique constraint rejected the write. A use case that knows the constraint throws a more specific message. */
export class Duplicate extends Conflict {
  readonly constraint: string;

  constructor(constraint: string, cause?: unknown) {
    super('Something with this name exists already', { cause });
    this.constraint = constraint;
  }
}

/**
 * Runs a write and replaces a `Duplicate` error by a more specific one.
 *
 * @example
 *   await onDuplicate(
 *     () => labels.insert(label),
 *     (cause) => new Conflict('The repository has a label of this name already', { cause }),
 *   );
 */
export async function onDuplicate<T>(
  write: () => Promise<T>,
  refusal: (duplicate: Duplicate) => Error | Promise<Error>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw error instanceof Duplicate ? await refusal(error) : error;
  }
}

/**
 * 409: other rows still refer to the row that should be deleted. `table` contains them; its name starts with the name
 * of the plugin that owns it.
 */
export class StillReferenced extends Conflict {
  readonly table: string;

  constructor(table: string, cause?: unknown) {
    super('Other records still refer to this', { detail: `Referenced from "${table}"`, cause });
    this.table = table;
  }
}

/** 413: the body exceeds its size limit. */
export class PayloadTooLarge extends HexforgeError {
  readonly kind = 'payload_too_large';
}

/** 415: the operation does not accept the content type of the body. */
export class UnsupportedMediaType extends HexforgeError {
  readonly kind = 'unsupported_media_type';
}

/** 422: the request is well-formed but cannot be carried out. */
export class Unprocessable extends HexforgeError {
  readonly kind = 'unprocessable';
}

/** 426: the path is a WebSocket endpoint, and the request does not open a WebSocket. */
export class UpgradeRequired extends HexforgeError {
  readonly kind = 'upgrade_required';
}

/** 429: a budget is exceeded. `retryAfter` is in whole seconds. */
export class RateLimited extends HexforgeError {
  readonly kind = 'rate_limited';
  readonly retryAfter: number;
  /** The exceeded budget, if it is not that of the operation's meter. */
  readonly count: (Count & { readonly resource: string }) | undefined;

  constructor(
    message: string,
    retryAfter: number,
    options: ErrorOptions & { readonly count?: Count & { readonly resource: string } } = {},
  ) {
    super(message, options);
    this.retryAfter = Math.max(1, Math.ceil(retryAfter));
    this.count = options.count;
  }
}

/** 500: an internal error. The adapter adds the request id and does not send the stack. */
export class Internal extends HexforgeError {
  readonly kind = 'internal';
}

/** 502: a server that this operation depends on failed or gave no valid answer. The message names it. */
export class BadGateway extends HexforgeError {
  readonly kind = 'bad_gateway';
}

/** 503: a component is absent or down. The message names it. */
export class Unavailable extends HexforgeError {
  readonly kind = 'unavailable';
  /** Whole seconds after which a retry is useful, if known. */
  readonly retryAfter: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly retryAfter?: number } = {}) {
    super(message, options);
    this.retryAfter = options.retryAfter;
  }
}

/** 504: the operation exceeded its time limit. Nothing was changed. */
export class TimedOut extends HexforgeError {
  readonly kind = 'timed_out';
}

/** 507: a disk is full. The message names what the disk contains. */
export class InsufficientStorage extends HexforgeError {
  readonly kind = 'insufficient_storage';
}
