// Carries errors between threads, where they lose their class.
import {
  Conflict,
  HexforgeError,
  Internal,
  NotFound,
  TimedOut,
  Unavailable,
  Unprocessable,
  ValidationFailed,
  type ErrorOptions,
} from '#core/kernel/errors';

/** The form in which an error is sent. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly detail?: string;
  readonly stack?: string;
}

const kinds: Readonly<Record<string, new (message: string, options?: ErrorOptions) => Error>> = {
  Conflict,
  Internal,
  NotFound,
  TimedOut,
  Unavailable,
  Unprocessable,
  ValidationFailed,
};

export function sent(error: unknown): SentError {
  if (error instanceof HexforgeError) {
    const { name, message, code, detail } = error;
    return { name, message, code, ...(detail !== undefined && { detail }) };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return {
    name: 'Internal',
    message: 'A repository could not be read',
    detail: message,
    ...(stack !== undefined && { stack }),
  };
}

export function received({ name, message, code, detail, stack }: SentError): Error {
  const Kind = kinds[name] ?? Internal;
  const cause = stack === undefined ? undefined : Object.assign(new Error(detail ?? message), { stack });
  return new Kind(message, {
    ...(code !== undefined && { code }),
    ...(detail !== undefined && { detail }),
    ...(cause !== undefined && { cause }),
  });
}
