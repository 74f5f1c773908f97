// The SAML adapter: a service provider on samlify, with the checks that samlify leaves to its caller.
export type { SamlAttribute, VerifiedAssertion } from './assertion.ts';
export { makeSamlKeys, type SamlKeys } from './certificate.ts';
export { isSecureUrl, MetadataFault, readIdentityProvider, type IdentityProvider } from './metadata.ts';
export { isRefusal, refused, type SamlRefusal } from './refusals.ts';
export { longestResponse } from './response.ts';
export { serviceProvider, type ServiceProvider } from './provider.ts';
export { metadataSource, type MetadataSource } from './metadata-source.ts';
