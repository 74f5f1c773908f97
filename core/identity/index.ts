// Public exports of the identity area: accounts, sessions and personal access tokens.
export * from './account.ts';
export * from './events.ts';
export * from './offers.ts';
export { checkPassword, passwordLength } from './password.ts';
export * from './ports.ts';
export * from './published.ts';
export * from './scopes.ts';
export { secondsAfter, type Session, type SessionLifetimes } from './session.ts';
export * from './settings.ts';
export {
  isToken,
  tokenFormat,
  tokenNameLimit,
  tokenPrefix,
  type AccessToken,
  type TokenFormat,
} from './access-token.ts';
export { randomBase62 } from './base62.ts';
export { returnPath } from './return-path.ts';
export * from './user-group.ts';
export * from './username.ts';
