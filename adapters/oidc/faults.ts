// Why a sign-in at a provider failed, as a reason for the log and as an error for the user.
import { ClientError, ResponseBodyError } from 'openid-client';
import { BadGateway, Forbidden, type HexforgeError } from '#core/kernel/errors';

/**
 * `unavailable`: the provider does not work. `refused`: it rejects the code or this instance. `invalid`: its answer
 * must not be trusted. `denied`: the user did not consent.
 */
type FaultKind = 'unavailable' | 'refused' | 'invalid' | 'denied';

/** A failed sign-in. The message is a reason for the log; it contains no secret. */
export class Fault extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, reason: string) {
    super(reason);
    this.kind = kind;
  }
}

/** The longest chain of causes that is searched. */
const depth = 8;

/** The fault behind an error of the library. Anything else that it throws means that the answer is not valid. */
export function faultOf(error: unknown): Fault {
  let cause: unknown = error;
  for (let level = 0; level < depth && cause instanceof Error; level += 1, cause = cause.cause)
    if (cause instanceof Fault) return cause;
  if (error instanceof ResponseBodyError)
    return new Fault('refused', `it answered with status ${error.status} and the error "${named(error.error)}"`);
  if (error instanceof ClientError && error.code === 'OAUTH_RESPONSE_IS_NOT_CONFORM')
    return new Fault('refused', 'it answered with an unexpected status');
  return new Fault('invalid', reasonOf(error));
}

/** The code of an error, which the provider chose. */
const named = (code: string): string => (/^[\w.-]{1,64}$/.test(code) ? code : 'unknown');

/** Errors whose messages are fixed sentences. Others, such as those of JSON, quote the answer. */
const fixed = new Set(['OperationProcessingError', 'UnsupportedOperationError', 'ClientError', 'DOMException']);

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (!fixed.has(error.constructor.name)) return error.name;
  return error.cause instanceof Error ? `${error.message}: ${reasonOf(error.cause)}` : error.message;
}

/** The error of the callback (RFC 6749, section 4.1.2.1). */
export function faultOfAnswer(error: string): Fault {
  if (error === 'access_denied') return new Fault('denied', 'the user did not consent');
  const kind = error === 'server_error' || error === 'temporarily_unavailable' ? 'unavailable' : 'refused';
  return new Fault(kind, `the browser returned with the error "${named(error)}"`);
}

const again = 'Try to sign in again. If this happens again, ask an administrator of this instance';

/** The error for the user, which names the provider. */
export function publicError({ kind }: Fault, provider: string): HexforgeError {
  switch (kind) {
    case 'unavailable':
      return new BadGateway(`"${provider}" does not work at the moment`, {
        code: 'provider_unavailable',
        detail: 'Try again later, or sign in another way',
      });
    case 'refused':
      return new Forbidden(`"${provider}" refused the sign-in`, { code: 'provider_refused', detail: again });
    case 'invalid':
      return new Forbidden(`The answer of "${provider}" is not valid`, {
        code: 'provider_answer_invalid',
        detail: again,
      });
    case 'denied':
      return new Forbidden(`The sign-in at "${provider}" was cancelled`, { code: 'access_denied' });
  }
}
