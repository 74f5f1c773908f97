// Serializes JSON answers, with a bound on their size and in slices, so that other requests are served in between; and
// their entity tags (RFC 9110, sections 8.8.3 and 13.1.2).
import { hash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { Unprocessable } from '#core/kernel/errors';

/** Largest answer in bytes. Lists and texts have lower bounds; this one is a safety net. */
export const largestJson = 16 * 1024 ** 2;
/** Characters serialized without a pause; an escaped character may take six bytes. */
const slice = 64 * 1024;
/** Deepest nesting of an answer larger than a slice. */
const deepest = 1000;

export class AnswerTooLarge extends Unprocessable {
  /** @param most the exceeded bound: `16777216 bytes`. */
  constructor(most: string) {
    super('The answer is too large', {
      detail: `It would have more than ${most}; ask for a part of it, such as a page or a path`,
    });
  }
}

/**
 * Serializes an answer: a short one to a string, which is sent at once, a longer one to UTF-8.
 * @param largest in bytes.
 * @throws {AnswerTooLarge} as soon as more than that is serialized.
 */
export function jsonText(body: unknown, largest = largestJson): string | Promise<Buffer> {
  return weightOf(body) <= slice ? JSON.stringify(body) : longText(body, largest);
}

async function longText(body: unknown, largest: number): Promise<Buffer> {
  let length = 0;
  const pieces: Buffer[] = [];
  for (const text of gathered(slices(body, 0))) {
    const piece = Buffer.from(text);
    length += piece.length;
    if (length > largest) throw new AnswerTooLarge(`${largest} bytes`);
    pieces.push(piece);
    await turn();
  }
  return Buffer.concat(pieces);
}

const tooDeep = (cause?: unknown): Error =>
  new Error('the answer is no JSON: it refers to itself, or is nested too deeply', { cause });

/** Counted until a little over one slice. @throws {Error} if the nesting exceeds the stack. */
function weightOf(body: unknown): number {
  try {
    return weigh(body, slice);
  } catch (error) {
    throw error instanceof RangeError ? tooDeep(error) : error;
  }
}

/** Joins short parts, because each part costs one event loop iteration. */
function* gathered(parts: Iterable<string>): Generator<string> {
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < slice) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Estimates the characters of a value's text; stops soon after `most`. */
function weigh(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 6;
  let sum = 2;
  if (Array.isArray(value))
    for (const item of value as readonly unknown[]) {
      sum += weigh(item, most - sum) + 1;
      if (sum > most) break;
    }
  else
    for (const key in value) {
      sum += key.length + 4 + weigh((value as Readonly<Record<string, unknown>>)[key], most - sum);
      if (sum > most) break;
    }
  return sum;
}

/** The text of a value in parts, each of which is made quickly. @throws {Error} if the value contains itself. */
function* slices(value: unknown, depth: number): Generator<string> {
  if (depth > deepest) throw tooDeep();
  if (typeof value === 'string') {
    yield* ofText(value);
  } else if (typeof value !== 'object' || value === null || 'toJSON' in value || weightOf(value) <= slice) {
    yield JSON.stringify(value);
  } else if (Array.isArray(value)) {
    yield '[';
    yield* items(value as readonly unknown[], depth);
    yield ']';
  } else {
    let before = '{';
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(key)}:`;
      yield* slices(member, depth + 1);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }
}

/** Keeps surrogate pairs together: a lone half would be escaped. */
function* ofText(text: string): Generator<string> {
  yield '"';
  for (let from = 0; from < text.length;) {
    const isPair = (text.codePointAt(from + slice - 1) ?? 0) > 0xffff;
    const to = from + slice + (isPair ? 1 : 0);
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}

/** Items of a list, as many per part as fit a slice. */
function* items(list: readonly unknown[], depth: number): Generator<string> {
  let from = 0;
  let weight = 0;
  let before = '';
  for (const [index, item] of list.entries()) {
    const own = weightOf(item);
    if (index > from && weight + own > slice) {
      yield before + JSON.stringify(list.slice(from, index)).slice(1, -1);
      before = ',';
      from = index;
      weight = 0;
    }
    weight += own;
    if (own <= slice) continue;
    yield before;
    yield* slices(item, depth + 1);
    before = ',';
    from = index + 1;
    weight = 0;
  }
  if (from < list.length) yield before + JSON.stringify(list.slice(from)).slice(1, -1);
}

/** The tag of a JSON body: a digest, so it changes whenever the body does. */
export const entityTag = (body: object): string => tagOfText(JSON.stringify(body));

/** The tag of a body, given its text. */
export const tagOfText = (text: string | Buffer): string => hash('sha256', text, 'base64url').slice(0, 27);

/** The suffixes that hapi appends to the tag of a compressed representation. */
const variant = /-(?:gzip|deflate)$/;

/** Whether If-None-Match contains the unquoted tag, by weak comparison (RFC 9110, section 13.1.2). */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  for (const [, tag = ''] of ifNoneMatch.matchAll(/(?:W\/)?"([^"]*)"/g)) {
    if (tag === etag || tag.replace(variant, '') === etag) return true;
  }
  return false;
}
