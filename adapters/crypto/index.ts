// Cryptography adapters: implements core ports with node:crypto and jose.
export * from './oauth.ts';
export * from './scrypt.ts';
export * from './sealer.ts';
export * from './session-tokens.ts';
