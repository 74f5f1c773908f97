// Public exports of the oauth area: clients, grants, resources, errors, events, scopes and settings.
export {
  authMethods,
  clientLimits,
  isConfidential,
  type AuthMethod,
  type Client,
  type ClientMembers,
} from './client.ts';
export * from './errors.ts';
export { oauthEvents } from './events.ts';
export type { AccessGrant, AuthorizationCode, Family, Grant } from './grant.ts';
export * from './ports.ts';
export { redirectLimits } from './redirect-uri.ts';
export { canonicalResource, isSameResource, mcpResource } from './resource.ts';
export { defaultScopes, oauthScopes } from './scopes.ts';
export { oauthSettings } from './settings.ts';
