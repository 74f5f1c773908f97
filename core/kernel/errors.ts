// Typed errors: one class per general error code of document D. Each adapter maps a `kind` to its own protocol once.

import type { Count } from './rate.ts';

/** Document D, "General error codes". The HTTP status of each stands in `adapters/http/errors.ts`. */
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
  | 'unavailable'
  | 'timed_out'
  | 'insufficient_storage';

/** What a refusal carries beside its sentence. */
export interface ErrorOptions {
  /** A more precise `error_code` than the kind, such as `account_suspended`. */
  readonly code?: string;
  /** A hint for a person: which field, what to do. */
  readonly detail?: string;
  /** Members the contract adds beside the envelope, such as `existing_repo_id`. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** What every deliberate refusal extends. `message` becomes the envelope's `error`. */
export abstract class HexforgeError extends Error {
  abstract readonly kind: ErrorKind;
  readonly #options: ErrorOptions;

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.#options = options;
  }

  /** The envelope's `error_code`. */
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

/** 400: a body member the operation does not know. */
export class UnknownField extends HexforgeError {
  readonly kind = 'unknown_field';
}

/** 400: the body is not JSON. */
export class MalformedJson extends HexforgeError {
  readonly kind = 'malformed_json';
}

/** 401: no credential where one is needed, or one that is not good. */
export class Unauthorized extends HexforgeError {
  readonly kind = 'unauthorized';
}

/** 403: the token lacks a scope. `scope` is the one that would do. */
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

/** 403: the caller is known and may not do this. */
export class Forbidden extends HexforgeError {
  readonly kind = 'forbidden';
}

/** 404: absent, or not for this caller to know of. */
export class NotFound extends HexforgeError {
  readonly kind = 'not_found';
}

/**
 * The thing itself.
 *
 * @example
 *   const known = found(await labels.findOne({ id: '1' }), 'There is no such label');
 *
 * @throws {NotFound} where there is nothing.
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

/** 409: the state of the thing does not allow it. */
export class Conflict extends HexforgeError {
  readonly kind = 'conflict';
}

/** 409: a unique constraint refused the write. A use case that knows the constraint throws a sentence of its own. */
export class Duplicate extends Conflict {
  readonly constraint: string;

  constructor(constraint: string, cause?: unknown) {
    super('Something with this name exists already', { cause });
    this.constraint = constraint;
  }
}

/**
 * A write, with a sentence of its own where a unique constraint refuses it.
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
 * 409: other rows still refer to what was to be deleted; `table` holds them, and starts with the name of the plugin
 * that owns it.
 */
export class StillReferenced extends Conflict {
  readonly table: string;

  constructor(table: string, cause?: unknown) {
    super('Other records still refer to this', { detail: `Referenced from "${table}"`, cause });
    this.table = table;
  }
}

/** 413: the body is over its bound. */
export class PayloadTooLarge extends HexforgeError {
  readonly kind = 'payload_too_large';
}

/** 415: the body's content type is not one the operation reads. */
export class UnsupportedMediaType extends HexforgeError {
  readonly kind = 'unsupported_media_type';
}

/** 422: well formed, and still not possible. */
export class Unprocessable extends HexforgeError {
  readonly kind = 'unprocessable';
}

/** 426: the path is that of a WebSocket, and the request does not open one. */
export class UpgradeRequired extends HexforgeError {
  readonly kind = 'upgrade_required';
}

/** 429: over a budget; `retryAfter` is in whole seconds. */
export class RateLimited extends HexforgeError {
  readonly kind = 'rate_limited';
  readonly retryAfter: number;
  /** The budget that was spent, where it is not that of the operation's meter. */
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

/** 500: a fault of ours. The adapter adds the request id and keeps the stack to itself. */
export class Internal extends HexforgeError {
  readonly kind = 'internal';
}

/** 503: a component is absent or down; the message names it. */
export class Unavailable extends HexforgeError {
  readonly kind = 'unavailable';
  /** Whole seconds after which it is worth asking again, where that is known. */
  readonly retryAfter: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly retryAfter?: number } = {}) {
    super(message, options);
    this.retryAfter = options.retryAfter;
  }
}

/** 504: what was asked took longer than it may; nothing of it is done. */
export class TimedOut extends HexforgeError {
  readonly kind = 'timed_out';
}

/** 507: a disk is full; the message names what it holds. */
export class InsufficientStorage extends HexforgeError {
  readonly kind = 'insufficient_storage';
}
