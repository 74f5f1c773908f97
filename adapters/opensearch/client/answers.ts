// Reads the members of answers of OpenSearch, which may be malformed.
import { Malformed } from './refusal.ts';

export type Members = Readonly<Record<string, unknown>>;

/** @throws {Malformed} */
export function members(value: unknown): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Malformed();
  return value as Members;
}

/** @throws {Malformed} */
export function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Malformed();
  return value;
}

/** @throws {Malformed} */
export function text(value: unknown): string {
  if (typeof value !== 'string') throw new Malformed();
  return value;
}

/** @throws {Malformed} */
export function number(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Malformed();
  return value;
}

/** The only value of a field that is read from doc values. @throws {Malformed} */
export const only = (fields: Members, name: string): unknown => list(fields[name])[0];
