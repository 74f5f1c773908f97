// Usernames: their format, and the reserved ones.
import { ValidationFailed } from '#core/kernel/errors';

/** Maximum length of a username in characters. */
export const usernameLimit = 39;
/** Maximum length of a name at sign-in. Directories may have longer names than accounts. */
export const signInNameLimit = 256;

/**
 * First path segments that the instance uses or may use later. `.well-known` and `-` are already rejected by the rule
 * for characters.
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

/** The form in which usernames are compared. They are ASCII, so this equals SQL's `lower`. */
export const usernameKey = (username: string): string => username.toLowerCase();

/** Maximum length of the name of a bot: a plugin name of at most 200 characters, and the ending. */
const longestBotName = 205;
const botEnding = '[bot]';

/** The username of the bot of a plugin. No person can have it, because their names have no brackets. */
export const botName = (plugin: string): string => `${plugin}${botEnding}`;
/** Whether a username is that of the bot of a plugin. */
export const isBotName = (username: string): boolean => username.endsWith(botEnding);

/** Whether a string is a possible username of a person. */
export const isPersonName = (text: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,38}$/.test(text) && !/(?:\.git|\.)$/i.test(text);

/** Whether a string is a possible username, of a person or a bot. Other strings are not looked up. */
export const isUsername = (text: string): boolean =>
  isPersonName(text) || (text.length <= longestBotName && /^[A-Za-z][A-Za-z0-9-]*\[bot\]$/.test(text));

/** Whether a new account of a person may have the name, if it is free. */
export const isAllowedUsername = (text: string): boolean => isPersonName(text) && !reserved.has(usernameKey(text));

/** @throws {ValidationFailed} naming the field. */
export function checkUsername(username: string): void {
  if (!isPersonName(username)) {
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
