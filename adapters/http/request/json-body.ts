// Parses JSON request bodies: content type, size limit, syntax, and a check for values that no JSON body may contain.
import type { IncomingMessage } from 'node:http';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import {
  HexforgeError,
  MalformedJson,
  UnknownField,
  UnsupportedMediaType,
  ValidationFailed,
} from '#core/kernel/errors';
import { KeyedMutex } from '#core/kernel/limits/keyed-mutex';
import { restored, skeletonOf } from './json-slices.ts';
import { hasMoreValues } from './json-values.ts';
import { carriesBody, requestBytes } from './request-body.ts';

/** The default bound of a JSON body: 1 MiB. */
export const defaultMaxBytes = 1024 * 1024;

/** The size of the first buffer; most bodies fit into it. */
const firstBytes = 4096;
const deepest = 64;
/**
 * The most members and items of a body, at every depth. A schema looks at each item of a list before it counts them, in
 * one event loop iteration; the longest list that any operation accepts has 1000 items.
 */
const mostValues = 20_000;
/** This many bytes are parsed in well under a millisecond; 1 MiB takes up to ten. */
const parsedAtOnce = 64 * 1024;
const oneByOne = new KeyedMutex();
const longestMilliseconds = 60_000;
const json = /^application\/(?:[a-z0-9.+-]+\+)?json$/i;
const inUtf8 = /^charset\s*=\s*"?utf-8"?$/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The parsed body. An absent body becomes an empty object, so that the schema names the missing members.
 * @param take is called with the size of each received chunk, and may throw to refuse it.
 */
export async function readJson(
  message: IncomingMessage,
  maxBytes: number,
  take: (bytes: number) => void,
): Promise<unknown> {
  if (!carriesBody(message)) return {};
  if (!isJson(message.headers['content-type'] ?? '')) {
    throw new UnsupportedMediaType('The body must be JSON', { detail: 'Send it with Content-Type: application/json' });
  }
  const bytes = await collect(message, maxBytes, take);
  if (bytes.byteLength === 0) return {};
  if (bytes.byteLength <= defaultMaxBytes) return parsed(bytes);
  const skeleton = await skeletonOf(bytes, defaultMaxBytes).catch((error: unknown) => {
    throw error instanceof HexforgeError ? error : malformed();
  });
  const whole = restored(await parsed(skeleton.bytes), skeleton.strings);
  inspect(whole);
  return whole;
}

/**
 * RFC 9110, section 8.3.1: no parameter except the charset. The header is split first, so that no regular expression
 * meets two runs of blanks.
 */
function isJson(contentType: string): boolean {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  return json.test(type) && parametersGood(parameters);
}

/** Whether the parameters of a content type are good: at most one, the charset UTF-8. */
export function parametersGood(parameters: readonly string[]): boolean {
  const named = parameters.at(-1) === '' ? parameters.slice(0, -1) : parameters;
  return named.length <= 1 && named.every((parameter) => inUtf8.test(parameter));
}

/**
 * Collects the body in one growing buffer: a list of chunks could take a hundred times their size, if each has one
 * byte.
 */
export async function collect(
  message: IncomingMessage,
  maxBytes: number,
  take: (bytes: number) => void,
): Promise<Buffer> {
  let held = Buffer.alloc(0);
  let length = 0;
  const started = performance.now();
  for await (const chunk of requestBytes(message, maxBytes)) {
    if (performance.now() - started > longestMilliseconds)
      throw new ValidationFailed('The body did not arrive in time', {
        detail: `It may take ${longestMilliseconds / 1000} seconds`,
      });
    take(chunk.byteLength);
    if (length + chunk.byteLength > held.length) {
      const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(firstBytes, 2 * (length + chunk.byteLength))));
      larger.set(held.subarray(0, length));
      held = larger;
    }
    held.set(chunk, length);
    length += chunk.byteLength;
  }
  return held.subarray(0, length);
}

/**
 * Parses large texts one per event loop iteration, and then pauses for the same time, so that parsing takes at most
 * half of the event loop's time.
 */
async function parsed(bytes: Uint8Array): Promise<unknown> {
  const value = async (): Promise<unknown> => inspected(parse(bytes));
  if (bytes.byteLength <= parsedAtOnce) return value();
  return new Promise((resolve) => {
    void oneByOne.run('', async () => {
      await turn();
      const begun = performance.now();
      resolve(value());
      await pause(performance.now() - begun);
    });
  });
}

function inspected(value: unknown): unknown {
  inspect(value);
  return value;
}

function parse(bytes: Uint8Array): unknown {
  if (hasMoreValues(bytes, mostValues))
    throw new ValidationFailed('The request is not valid', { detail: `The body has more than ${mostValues} values` });
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw malformed();
  }
}

/** Without the parser's own message, which quotes the body and might reveal a password. */
const malformed = (): MalformedJson =>
  new MalformedJson('The body is not valid JSON', { detail: 'It must be one JSON value in UTF-8' });

/**
 * Rejects values that pass a schema but fail later: the key `__proto__`, text that no database can store, unbounded
 * nesting.
 */
function inspect(value: unknown, trail: (string | number)[] = []): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      throw new ValidationFailed('The request is not valid', {
        detail: `Field "${named(trail)}" must not contain a NUL character or half of a surrogate pair`,
      });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (trail.length === deepest)
    throw new ValidationFailed('The request is not valid', {
      detail: `The body is nested deeper than ${deepest} levels`,
    });
  const enter = (part: string | number, inner: unknown): void => {
    trail.push(part);
    if (part === '__proto__')
      throw new UnknownField('The body has a field that this operation does not know', {
        detail: `Field "${named(trail)}" is not allowed`,
      });
    inspect(inner, trail);
    trail.pop();
  };
  if (Array.isArray(value)) for (let index = 0; index < value.length; index += 1) enter(index, value[index]);
  else for (const key of Object.keys(value)) enter(key, (value as Readonly<Record<string, unknown>>)[key]);
}

/** The path of a member: `items[3].name`. */
const named = (trail: readonly (string | number)[]): string =>
  trail.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');
