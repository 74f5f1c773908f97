// The face of the administration of the instance for everyone: the scopes of its routes.
export { administrationScopes } from './scopes.ts';
