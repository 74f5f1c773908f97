// Prepares texts from repositories for a model: removes characters that deceive terminals and readers, and bounds
// results.
import { clip, fit, jsonBytes } from '#core/kernel/clipping';

/**
 * Control characters except tab and line feed, which terminals act on; characters that change the direction of text
 * (Trojan Source); and tags, which are invisible and can carry instructions.
 */
const hidden =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** The text without hidden characters. */
export const visible = (text: string): string => text.replace(hidden, '');

/** The most characters of the message of a failure, which may quote arguments. */
const mostSaid = 2000;

/** The message of a failure. */
export const sentences = (text: string): string => clip(visible(text), mostSaid);

/** Applies `change` to every text of a JSON value. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, mapTexts(inner, change)]));
}

/** The most bytes of the texts of a result: 256 KiB, as of a file that one call reads, and room for names around it. */
export const mostText = (256 + 16) * 1024;
/** Texts below this length are never cut: they are names, ids and cursors, which must stay whole. */
const alwaysWhole = 1024;

type Data = Readonly<Record<string, unknown>>;

/** A result, and whether texts of it were cut. */
export interface Prepared {
  readonly data: Data;
  readonly cut: boolean;
}

/**
 * Cleans all texts of a result, and cuts the longest so that together they fit. Dates become texts.
 * @param most bytes.
 */
export function prepared(result: Data, most = mostText): Prepared {
  const data = mapTexts(JSON.parse(JSON.stringify(result)), visible) as Data;
  const long: string[] = [];
  let short = 0;
  mapTexts(data, (text) => {
    if (text.length > alwaysWhole) long.push(text);
    else short += text.length;
    return text;
  });
  const fitted = fit(long, escapedMost(long, Math.max(0, most - short)));
  if (fitted.every((text, index) => text === long[index])) return { data, cut: false };
  const left = fitted.values();
  return {
    data: mapTexts(data, (text) => (text.length > alwaysWhole ? (left.next().value ?? '') : text)) as Data,
    cut: true,
  };
}

/** The bound counts the bytes of the texts themselves; escapes of JSON may come on top. */
const escapedMost = (texts: readonly string[], most: number): number => {
  const bytes = texts.reduce((sum, text) => sum + utf8Bytes(text), 0);
  const escaped = texts.reduce((sum, text) => sum + jsonBytes(text), 0);
  return bytes <= most ? escaped : most;
};

/** Bytes of a text in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // Each half of a surrogate pair has two of its four bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes;
}
