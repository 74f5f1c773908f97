// The adapter of sign-in at other servers: OpenID providers, by openid-client, and GitHub.
export { addressMisfit, longestAddress } from './addresses.ts';
export type { SignInClient, SignInClientOptions } from './client.ts';
export { signInClient } from './lazy-client.ts';
export type { Provider, ProviderAnswer } from './provider.ts';
