// Public exports of the oauth area: clients, grants, resources, errors, events, scopes and settings.
export {
  authMethods,
  clientLimits,
  isConfidential,
  type AuthMethod,
  type Client,
  type ClientMembers,
} from './model/client.ts';
export * from './model/errors.ts';
export { oauthAudits, oauthEvents } from './model/events.ts';
export type { AccessGrant, AuthorizationCode, Family, Grant } from './model/grant.ts';
export * from './model/ports.ts';
export { redirectLimits } from './model/redirect-uri.ts';
export { canonicalResource, isSameResource, mcpResource, resourceMetadataUrl } from './model/resource.ts';
export { defaultScopes, oauthScopes } from './model/scopes.ts';
export { oauthSettings } from './model/settings.ts';
