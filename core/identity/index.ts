// The face of identity: accounts, and the sessions and personal access tokens that authenticate them.
export * from './account.ts';
export * from './events.ts';
export * from './offers.ts';
export * from './password.ts';
export * from './ports.ts';
export * from './published.ts';
export * from './scopes.ts';
export * from './session.ts';
export * from './settings.ts';
export * from './access-token.ts';
export * from './username.ts';
