// What plugins throw, read without trusting it: anything can be thrown, and members of an error may throw when read.
import { inspect } from 'node:util';

/** The error itself where it can be read; else one that tells what it was. */
export function readable(thrown: unknown): Error {
  try {
    if (!(thrown instanceof Error && isReadable(thrown))) return unlike(textOf(thrown));
    const reason = rejectedWith(thrown.message);
    return reason === undefined ? thrown : unlike(reason);
  } catch {
    return unlike('what it threw cannot be read');
  }
}

/** In characters: what of a plugin's text a sentence quotes. */
const longest = 300;

/** The first line of a text, for a sentence. */
export function firstLine(text: string): string {
  const line = (text.split('\n', 1)[0] ?? '').replaceAll(/\p{Cc}/gu, ' ');
  return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line;
}

/** A chain of causes is read so far; one that comes back to itself has no end. */
const deepest = 16;

/** Reads whatever the log or a sentence may read later. */
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

/** The reason of a rejection that is no error, which Node wraps in a text of its own. */
function rejectedWith(message: string): string | undefined {
  const at = message.indexOf(before);
  return at < 0 || !message.endsWith(after) ? undefined : message.slice(at + before.length, -after.length);
}

function textOf(thrown: unknown): string {
  const message: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'message') : thrown;
  return typeof message === 'string' ? message : inspect(thrown, { depth: 0, breakLength: Infinity });
}

/** Without a stack: that would be ours. */
function unlike(message: string): Error {
  const error = new Error(message);
  error.stack = `Error: ${message}`;
  return error;
}

/** For the log: without the members that errors of clients carry: one may be the request, with the password in it. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error
    ? (error.stack ?? error.message)
    : `it threw something of type ${typeof error}, which is no Error`;
