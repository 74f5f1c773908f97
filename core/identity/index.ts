// The face of identity: accounts, and the sessions and personal access tokens that authenticate them.
export * from './account.ts';
export * from './events.ts';
export * from './offers.ts';
export { checkPassword, passwordLength } from './password.ts';
export * from './ports.ts';
export * from './published.ts';
export * from './scopes.ts';
export type { Session, SessionLifetimes } from './session.ts';
export * from './settings.ts';
export { isToken, tokenNameLimit, tokenPrefix, type AccessToken } from './access-token.ts';
export * from './username.ts';
