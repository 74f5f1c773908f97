// Usernames: their format and the reserved ones (document D, "Accounts, sessions, tokens").
import { ValidationFailed } from '#core/kernel/errors';

/** The most characters of a username. */
export const usernameLimit = 39;
/** The most characters of a name that somebody signs in by: directories know longer ones than accounts have. */
export const signInNameLimit = 256;

/**
 * First path segments that the instance itself answers, or may come to. `.well-known` and `-` fail the character rule
 * already.
 */
const reserved: ReadonlySet<string> = new Set([
  '-',
  '.well-known',
  'about',
  'api',
  'assets',
  'auth',
  'explore',
  'favicon.ico',
  'ghost',
  'groups',
  'healthz',
  'help',
  'index.html',
  'info',
  'login',
  'logout',
  'mcp',
  'metrics',
  'new',
  'notifications',
  'oauth',
  'oauth2',
  'orgs',
  'public',
  'raw',
  'readyz',
  'register',
  'repos',
  'robots.txt',
  'saml',
  'search',
  'security.txt',
  'settings',
  'signup',
  'sitemap.xml',
  'static',
  'user',
  'users',
  'v2',
  'ws',
]);

/** Names are compared in this form. The character rule is ASCII, so this is SQL's `lower` too. */
export const usernameKey = (username: string): string => username.toLowerCase();

/** Whether a string could be the name of an account: what cannot be is not looked up. */
export function isUsername(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,38}$/.test(text) && !/(?:\.git|\.)$/i.test(text);
}

/** @throws {ValidationFailed} naming the field. */
export function checkUsername(username: string): void {
  if (!isUsername(username)) {
    throw new ValidationFailed('The username is not valid', {
      detail: `"username" is 1 to ${usernameLimit} letters, digits, "-", "_" or ".", starts with a letter or digit, and does not end in "." or ".git"`,
    });
  }
  if (reserved.has(usernameKey(username))) {
    throw new ValidationFailed('The username is reserved', {
      detail: `"username" may not be "${username}"; choose another`,
    });
  }
}
