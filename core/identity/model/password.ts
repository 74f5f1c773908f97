// Password policy: the permitted length, and generated passwords.
import { ValidationFailed } from '#core/kernel/errors';
import type { Ids } from '#core/kernel/time';
import { randomBase62 } from './base62.ts';

/** In characters, not in bytes. */
export const passwordLength = { min: 8, max: 256 } as const;

/** @throws {ValidationFailed} naming the field. */
export function checkPassword(password: string, field = 'password'): void {
  const length = Array.from(password).length;
  if (length >= passwordLength.min && length <= passwordLength.max) return;
  throw new ValidationFailed('The password is not valid', {
    detail: `"${field}" has ${passwordLength.min} to ${passwordLength.max} characters`,
  });
}

/** 24 characters of base62: 142 bits of entropy. */
export const generatePassword = (ids: Ids): string => randomBase62(ids, 24);
