// Serializes JSON answers: bounded in size, and large ones in slices, so that other requests are served in between.
import { setImmediate as turn } from 'node:timers/promises';
import { Unprocessable } from '#core/kernel/errors';

/** Of a whole answer, in bytes. Pages and what they hold have bounds of their own; this is the net below them. */
export const largestJson = 16 * 1024 ** 2;
/** What is serialized without a pause. */
const slice = 512 * 1024;

export class AnswerTooLarge extends Unprocessable {
  /** @param most what it has more than: `16777216 bytes`. */
  constructor(most: string) {
    super('The answer is too large', {
      detail: `It would have more than ${most}; ask for a part of it, such as a page or a path`,
    });
  }
}

/** @param largest in bytes. @throws {AnswerTooLarge} before the most of it is serialized. */
export async function jsonText(body: unknown, largest = largestJson): Promise<string> {
  const tooLarge = (): AnswerTooLarge => new AnswerTooLarge(`${largest} bytes`);
  const weight = weightOf(body, largest);
  if (weight > largest) throw tooLarge();
  if (weight <= slice) return JSON.stringify(body);
  let length = 0;
  const parts: string[] = [];
  for (const part of slices(body)) {
    // Weights are of characters: escapes and UTF-8 come on top.
    length += Buffer.byteLength(part);
    if (length > largest) throw tooLarge();
    parts.push(part);
    await turn();
  }
  return parts.join('');
}

/** @throws {Error} where the value refers to itself: nothing else is nested as deeply as the stack is. */
function weightOf(body: unknown, largest: number): number {
  try {
    return weigh(body, largest);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error('the answer is no JSON: it refers to itself, or is nested too deeply', { cause: error });
  }
}

/** About how many characters the text of a value has; counted no further than a little over `most`. */
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

/** The text of a value in parts, none of which takes long. */
function* slices(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value || weigh(value, slice) <= slice) {
    yield JSON.stringify(value);
  } else if (Array.isArray(value)) {
    yield '[';
    yield* items(value as readonly unknown[]);
    yield ']';
  } else {
    let before = '{';
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(key)}:`;
      yield* slices(member);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }
}

/** Items of a list, as many of them together as fit a slice. */
function* items(list: readonly unknown[]): Generator<string> {
  let from = 0;
  let weight = 0;
  let before = '';
  for (const [index, item] of list.entries()) {
    const own = weigh(item, slice);
    if (index > from && weight + own > slice) {
      yield before + JSON.stringify(list.slice(from, index)).slice(1, -1);
      before = ',';
      from = index;
      weight = 0;
    }
    weight += own;
    if (own <= slice) continue;
    yield before;
    yield* slices(item);
    before = ',';
    from = index + 1;
    weight = 0;
  }
  if (from < list.length) yield before + JSON.stringify(list.slice(from)).slice(1, -1);
}
