// Use cases of the administration of the instance, for its own plugin.
export { adminScopeUseCases, type AdminScopeUseCases } from './admin-scopes.ts';
export { recordPluginChanges } from './plugin-changes.ts';
