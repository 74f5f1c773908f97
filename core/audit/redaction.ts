// Removes secrets from audit entries, in case a caller passes one by mistake.
import { clip } from '#core/kernel/clipping';

const mask = '[redacted]';
/** Names of members whose string value is masked. `token_id` and `token_name` do not match. */
const secretName = /(?:password|passphrase|secret|token|authorization|cookie|credential|private_?key|api_?key)$/i;
/** Tokens of this instance, at any position in a text. */
const token = /\bsvc_(?:[a-z]{2,4}_)?[0-9A-Za-z]{36,}\b/g;
/** Words that may contain a JWT, and the pattern at which a JWT starts. */
const dotted = /[\w.-]+/g;
const jwtStart = /\beyJ[\w-]/;
const deepest = 6;
const longestText = 2000;

/** Returns a copy that can be stored: plain JSON, bounded in depth and length, without secrets. */
export function redact(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return members(details, 0);
}

function members(value: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [
        name,
        secretName.test(name) && typeof member === 'string' ? mask : plain(member, depth + 1),
      ]),
  );
}

function plain(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value, longestText);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (depth > deepest || typeof value !== 'object') return mask;
  return Array.isArray(value) ? value.map((item: unknown) => plain(item, depth + 1)) : members(value, depth);
}

/** Masks secrets, removes NUL (PostgreSQL text cannot contain it) and truncates to `limit` characters. */
export function cleanText(text: string, limit: number): string {
  const clean = text.replaceAll('\0', '').replaceAll(token, mask).replaceAll(dotted, withoutJwt);
  return clip(clean, limit);
}

/** A JWT is three parts separated by dots. The last part may be empty. */
function withoutJwt(word: string): string {
  const parts = word.split('.');
  const kept: string[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? '';
    const start = part.search(jwtStart);
    if (start >= 0 && (parts[index + 1] ?? '') !== '' && parts[index + 2] !== undefined) {
      kept.push(part.slice(0, start) + mask);
      index += 2;
    } else kept.push(part);
  }
  return kept.join('.');
}
