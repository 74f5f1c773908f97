// Parses request bodies strictly, JSON and forms: content type, size limit, UTF-8, syntax. Nothing is guessed.
import type { IncomingMessage } from 'node:http';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import {
  HexforgeError,
  MalformedJson,
  UnknownField,
  UnsupportedMediaType,
  ValidationFailed,
} from '#core/kernel/errors';
import { KeyedMutex } from '#core/kernel/limits/fair-limiter';
import { restored, skeletonOf } from './json-slices.ts';
import { hasMoreValues } from './json-values.ts';
import { carriesBody, requestBytes } from './request-body.ts';

/** The default bound of a JSON body: 1 MiB. */
export const defaultMaxBytes = 1024 * 1024;
/** The default bound of a form. Forms of OAuth2 have a few hundred bytes. */
export const formMaxBytes = 64 * 1024;

/** The size of the first buffer; most bodies fit into it. */
const firstBytes = 4096;
const longestMilliseconds = 60_000;
const deepest = 64;
/**
 * The most members and items of a JSON body, at every depth. A schema looks at each item of a list before it counts
 * them, in one event loop iteration; the longest list that any operation accepts has 1000 items.
 */
const mostValues = 20_000;
/** This many bytes are parsed in well under a millisecond; 1 MiB takes up to ten. */
const parsedAtOnce = 64 * 1024;
const oneByOne = new KeyedMutex();
/** The most fields of a form. */
export const mostFields = 100;
const formType = 'application/x-www-form-urlencoded';
const jsonType = /^application\/(?:[a-z0-9.+-]+\+)?json$/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @param take is called with the size of each received chunk, and may throw to refuse it. */
export type ReadBody = (message: IncomingMessage, maxBytes: number, take: (bytes: number) => void) => Promise<unknown>;

const jsonReader =
  (anyText: boolean): ReadBody =>
  async (message, maxBytes, take) => {
    if (!carriesBody(message)) return {};
    if (!hasType(message, jsonType))
      throw new UnsupportedMediaType('The body must be JSON', {
        detail: 'Send it with Content-Type: application/json',
      });
    const bytes = await collect(message, maxBytes, take);
    if (bytes.byteLength === 0) return {};
    if (bytes.byteLength <= defaultMaxBytes) return parsed(bytes, anyText);
    const { bytes: rest, strings } = await skeletonOf(bytes, defaultMaxBytes).catch((error: unknown) => {
      throw error instanceof HexforgeError ? error : malformed();
    });
    const whole = restored(await parsed(rest, anyText), strings);
    inspect(whole, anyText);
    return whole;
  };

/** The parsed JSON body. An absent body becomes an empty object, so that the schema names the missing members. */
export const readJson = jsonReader(false);
/** The same, but texts may contain characters that no database can store: the operation checks them itself. */
export const readAnyJson = jsonReader(true);

/** Texts by field name, with a list of texts for a repeated field. Empty fields are absent. */
export const readForm: ReadBody = async (message, maxBytes, take) => {
  if (!carriesBody(message)) return {};
  if (!hasType(message, /^application\/x-www-form-urlencoded$/i))
    throw new UnsupportedMediaType('The body must be a form', { detail: `Send it with Content-Type: ${formType}` });
  const fields = new FormFields<string>();
  const pairs = formText(await collect(message, maxBytes, take)).split('&');
  if (pairs.length > mostFields) throw badForm(`It has more than ${mostFields} fields`);
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = unescaped(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : unescaped(pair.slice(equals + 1));
    if (value !== '') fields.add(name, value);
  }
  return fields.all();
};

/** The fields of a form, with a list for a repeated field. */
export class FormFields<T> {
  readonly #fields = new Map<string, T | T[]>();

  add(name: string, value: T): void {
    const before = this.#fields.get(name);
    this.#fields.set(name, before === undefined ? value : ([before, value].flat() as T[]));
  }

  all(): Readonly<Record<string, T | readonly T[]>> {
    return Object.fromEntries(this.#fields);
  }
}

/**
 * Whether the content type is of this form. Parameters are ignored, `charset` too: JSON and forms are read as UTF-8
 * (RFC 9110, section 8.3.1; RFC 8259, section 11).
 */
function hasType({ headers }: IncomingMessage, expected: RegExp): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return expected.test(type.trim());
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
async function parsed(bytes: Uint8Array, anyText: boolean): Promise<unknown> {
  if (bytes.byteLength <= parsedAtOnce) return parse(bytes, anyText);
  return new Promise((resolve, reject) => {
    void oneByOne.run('', async () => {
      await turn();
      const begun = performance.now();
      try {
        resolve(parse(bytes, anyText));
      } catch (error) {
        reject(error as Error);
      }
      await pause(performance.now() - begun);
    });
  });
}

function parse(bytes: Uint8Array, anyText: boolean): unknown {
  if (hasMoreValues(bytes, mostValues))
    throw new ValidationFailed('The request is not valid', { detail: `The body has more than ${mostValues} values` });
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    throw malformed();
  }
  inspect(value, anyText);
  return value;
}

/** Without the parser's own message, which quotes the body and might reveal a password. */
const malformed = (): MalformedJson =>
  new MalformedJson('The body is not valid JSON', { detail: 'It must be one JSON value in UTF-8' });

/**
 * Rejects values that pass a schema but fail later: the key `__proto__`, text that no database can store, unbounded
 * nesting.
 */
function inspect(value: unknown, anyText: boolean, trail: (string | number)[] = []): void {
  if (typeof value === 'string') {
    if (anyText) return;
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
    inspect(inner, anyText, trail);
    trail.pop();
  };
  if (Array.isArray(value)) for (let index = 0; index < value.length; index += 1) enter(index, value[index]);
  else for (const key of Object.keys(value)) enter(key, (value as Readonly<Record<string, unknown>>)[key]);
}

/** The path of a member: `items[3].name`. */
const named = (trail: readonly (string | number)[]): string =>
  trail.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');

export function formText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw badForm('It is not UTF-8');
  }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw badForm('A "%" begins no percent-encoded UTF-8');
  }
}

export const badForm = (detail: string): ValidationFailed => new ValidationFailed('The form is not valid', { detail });
