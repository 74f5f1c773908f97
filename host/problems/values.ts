// Classifies values that the code of plugins returned, and describes them in messages.
import Joi from 'joi';

/** Schemas of another version of joi are rejected, because they cannot be distinguished from other objects. */
export const isSchema = (value: unknown): value is Joi.Schema => {
  try {
    return Joi.isSchema(value);
  } catch {
    return false;
  }
};

/** Whether the value is usable by other plugins: an object or a function, but not a promise. */
export const isPart = (value: unknown): boolean =>
  (typeof value === 'object' || typeof value === 'function') && value !== null && !(value instanceof Promise);

/**
 * Returns the value. If it is a promise where none is allowed, its rejection is ignored, because the promise itself is
 * reported.
 */
export function unawaited(value: unknown): unknown {
  if (value instanceof Promise) value.catch(() => undefined);
  return value;
}

/** The type of a value in words. The value itself is not shown, because it may be a secret from the configuration. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Promise) return 'a promise';
  if (typeof value === 'object') return isSchema(value) ? 'a schema' : 'an object';
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'a text';
  return `a ${typeof value}`;
}
