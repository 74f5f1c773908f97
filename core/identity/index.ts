// Public exports of the identity area: accounts, sessions and personal access tokens.
export * from './model/account.ts';
export * from './model/events.ts';
export type { ExternalIdentity, ListedProvider } from './model/external-identity.ts';
export * from './model/offers.ts';
export { checkPassword, passwordLength } from './model/password.ts';
export * from './model/ports.ts';
export * from './model/published.ts';
export * from './model/scopes.ts';
export { usersNamed } from './accounts/users-named.ts';
export { secondsAfter, type Session, type SessionLifetimes } from './model/session.ts';
export * from './model/settings.ts';
export {
  isToken,
  tokenFormat,
  tokenNameLimit,
  tokenPrefix,
  type AccessToken,
  type TokenFormat,
} from './model/access-token.ts';
export { randomBase62 } from './model/base62.ts';
export { returnPath } from './model/return-path.ts';
export * from './model/user-group.ts';
export * from './model/username.ts';
