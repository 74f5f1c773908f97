// Public exports of the administration area: admin-scope grants, stores, events and token scopes.
export { adminScope, type AdminScopeGrant } from './admin-scope.ts';
export * from './events.ts';
export * from './ports.ts';
export { administrationScopes } from './scopes.ts';
