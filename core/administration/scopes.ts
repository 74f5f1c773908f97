// The token scopes of the administration of the instance.
import type { ScopeRow } from '#core/kernel/scopes';

declare module '#core/kernel/scopes' {
  interface Scopes {
    'admin.plugins': true;
  }
}

/** Document D, "Administration": `admin:system` for what is about the instance; no OAuth2 token may. */
export const administrationScopes: readonly ScopeRow[] = [{ name: 'admin.plugins', pat: 'admin:system' }];
