// Chooses the username of a new account for an external user.
import type { ExternalUser } from '#core/kernel/access/sign-in-flows';
import { isAllowedUsername, usernameLimit } from '../model/username.ts';

/** The name that a provider gave: its username, the part of the address before the "@", or the display name. */
const given = ({ username, email, displayName }: ExternalUser): string =>
  (username ?? email?.split('@', 1)[0] ?? displayName ?? '').slice(0, 256);

/** A text as a legal username: letters without their marks, "-" for everything else that is not allowed. */
function legal(text: string): string {
  let plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, usernameLimit);
  const ending = /(?:\.git|[.-])$/i;
  while (ending.test(plain)) plain = plain.replace(ending, '');
  return plain === '' ? 'member' : plain;
}

/**
 * The username that the user claims: the given name where it is legal and not reserved. Undefined for one that has to
 * be altered.
 */
export const claimedUsername = (user: ExternalUser): string | undefined => {
  const name = given(user);
  return isAllowedUsername(name) ? name : undefined;
};

/** The number of names that are tried. */
const most = 50;

/** Names for the account, best first: the legal form of the given name, then numbered ones. */
export function usernameCandidates(user: ExternalUser): readonly string[] {
  const name = legal(given(user));
  const numbered = Array.from({ length: most - 1 }, (_, index) => {
    const ending = `-${index + 1}`;
    return name.slice(0, usernameLimit - ending.length) + ending;
  });
  return [name, ...numbered].filter(isAllowedUsername);
}
