// Reads values thrown by plugins safely: anything can be thrown, and members of an error may throw when they are read.
import { inspect } from 'node:util';

/** The error itself if it can be read safely; otherwise an error that describes it. */
export function readable(thrown: unknown): Error {
  try {
    if (!(thrown instanceof Error && isReadable(thrown))) return unlike(textOf(thrown));
    const reason = rejectedWith(thrown.message);
    return reason === undefined ? thrown : unlike(reason);
  } catch {
    return unlike('what it threw cannot be read');
  }
}

/** The most characters of a plugin's text in a message. */
const longest = 300;

/** The first line of a text, shortened for a message. */
export function firstLine(text: string): string {
  const line = (text.split('\n', 1)[0] ?? '').replaceAll(/\p{Cc}/gu, ' ');
  return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line;
}

/** The most causes that are read, because a chain of causes may be circular. */
const deepest = 16;

/** Whether everything that the log or a message may read later can be read. */
function isReadable(error: Error): boolean {
  let current: unknown = error;
  for (let depth = 0; current instanceof Error; depth += 1) {
    const { message, stack = '' }: { readonly message: unknown; readonly stack?: unknown } = current;
    if (typeof message !== 'string' || typeof stack !== 'string' || depth === deepest) return false;
    for (const member in current) Reflect.get(current, member);
    current = current.cause;
  }
  return true;
}

const [before, after] = ['The promise rejected with the reason "', '".'];

/** The reason in the message that Node makes for a rejection with a value that is not an error. */
function rejectedWith(message: string): string | undefined {
  const at = message.indexOf(before);
  return at < 0 || !message.endsWith(after) ? undefined : message.slice(at + before.length, -after.length);
}

function textOf(thrown: unknown): string {
  const message: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'message') : thrown;
  return typeof message === 'string' ? message : inspect(thrown, { depth: 0, breakLength: Infinity });
}

/** An error without a stack trace, which would be the host's. */
function unlike(message: string): Error {
  const error = new Error(message);
  error.stack = `Error: ${message}`;
  return error;
}

/**
 * The error as text for the log. Members are left out, because errors of clients may contain the request with its
 * password.
 */
export const reasonOf = (error: unknown): string =>
  error instanceof Error
    ? (error.stack ?? error.message)
    : `it threw something of type ${typeof error}, which is no Error`;
