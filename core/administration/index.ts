// The face of the administration of the instance for everyone: grants of admin scopes, its stores, events and scopes.
export { adminScope, type AdminScopeGrant } from './admin-scope.ts';
export * from './events.ts';
export * from './ports.ts';
export { administrationScopes } from './scopes.ts';
