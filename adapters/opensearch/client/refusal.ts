// Typed errors of requests to OpenSearch. Their messages contain no address, no credential and no text of a request.
import { Conflict, HexforgeError, InsufficientStorage, TimedOut, Unavailable } from '#core/kernel/errors';

/** OpenSearch answered with an error. */
export class Refused extends Unavailable {
  readonly status: number;
  /** Such as `index_not_found_exception`; '' if unknown. */
  readonly type: string;

  constructor(status: number, type: string) {
    super(sentence(status, type));
    this.status = status;
    this.type = type;
  }
}

/** An answer that does not have the documented form. */
export class Malformed extends Unavailable {
  constructor() {
    super('OpenSearch answered with something else than it documents');
  }
}

function sentence(status: number, type: string): string {
  if (status === 401) return 'OpenSearch rejects the credentials';
  if (status === 403) return 'OpenSearch does not permit the request to its user';
  if (status === 429) return 'OpenSearch is overloaded';
  if (type === 'index_not_found_exception') return 'The search index is missing in OpenSearch';
  return `OpenSearch answered ${status}${type === '' ? '' : ` (${type})`}`;
}

/** The type of errors that block writing, such as a disk that is nearly full, and of some others with status 503. */
const blocked = 'cluster_block_exception';
/** The type of errors of operations on a document that has a later version. */
const outdated = 'version_conflict_engine_exception';
/** Types are identifiers; other text is not repeated. */
const identifier = /^[a-z_]{1,100}$/;

/** The error of an error answer, or of an item of a bulk answer. */
export function refusalOf(status: number, type: unknown): HexforgeError {
  if (type === blocked && status !== 503)
    return new InsufficientStorage('OpenSearch has blocked the search index for writing, as when its disk is full');
  if (type === outdated) return new Conflict('A later write of the same repository has begun');
  return new Refused(status, typeof type === 'string' && identifier.test(type) ? type : '');
}

interface ClientError {
  readonly name: string;
  readonly message: string;
  readonly statusCode?: number;
  readonly body?: { readonly error?: { readonly type?: unknown } };
}

/** Translates an error of the client. */
export function translated(error: unknown): HexforgeError {
  if (error instanceof HexforgeError) return error;
  const { name, message, statusCode, body } = error as ClientError;
  switch (name) {
    case 'TimeoutError':
      return new TimedOut('OpenSearch did not answer in time');
    case 'ResponseError':
      return refusalOf(statusCode ?? 0, body?.error?.type);
    case 'ConnectionError':
      return new Unavailable(`OpenSearch cannot be reached (${message})`);
    case 'DeserializationError':
      return new Malformed();
    default:
      return new Unavailable(`The request to OpenSearch failed (${name})`);
  }
}
