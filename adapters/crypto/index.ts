// Cryptography: node:crypto and jose behind the ports of core.
export * from './oauth.ts';
export * from './scrypt.ts';
export * from './sealer.ts';
export * from './session-tokens.ts';
