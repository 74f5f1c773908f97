// Password policy: the normal form, the permitted length, and generated passwords.
import type { PasswordHasher } from '#core/kernel/access/credentials';
import { characters, isLonger } from '#core/kernel/characters';
import { ValidationFailed } from '#core/kernel/errors';
import type { Ids } from '#core/kernel/time';
import { randomBase62 } from './base62.ts';

/** In characters of the normal form, not in bytes. */
export const passwordLength = { min: 8, max: 256 } as const;

/**
 * The form in which passwords are counted, hashed and compared (NFC, RFC 8265, section 4.2): keyboards differ in how
 * they compose letters. Texts that are too long for a password are not normalized, which would take quadratic time.
 */
const normalForm = (password: string): string =>
  isLonger(password, 4 * passwordLength.max) ? password : password.normalize('NFC');

/** The stored hash of an account without a local password. No password matches it. */
export const noPassword = '';

/** @throws {ValidationFailed} naming the field. */
export function checkPassword(password: string, field = 'password'): void {
  const length = characters(normalForm(password));
  if (length >= passwordLength.min && length <= passwordLength.max) return;
  throw new ValidationFailed('The password is not valid', {
    detail: `"${field}" has ${passwordLength.min} to ${passwordLength.max} characters`,
  });
}

/** A hasher of passwords in their normal form. Hashes of unnormalized passwords, of earlier versions, stay valid. */
export const ofNormalForm = (hasher: PasswordHasher): PasswordHasher => ({
  hash: (password, ip) => hasher.hash(normalForm(password), ip),
  async verify(password, hash, ip) {
    const normal = normalForm(password);
    if (await hasher.verify(normal, hash, ip)) return true;
    return normal !== password && (await hasher.verify(password, hash, ip));
  },
  outdated: (hash) => hasher.outdated(hash),
});

/** 24 characters of base62: 142 bits of entropy. */
export const generatePassword = (ids: Ids): string => randomBase62(ids, 24);
