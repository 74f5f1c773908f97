// Token scopes of the administration of the instance.
import type { ScopeRow } from '#core/kernel/access/scopes';

declare module '#core/kernel/access/scopes' {
  interface Scopes {
    'admin.plugins': true;
  }
}

/** Personal access tokens need `admin:system`. OAuth2 tokens have no access. */
export const administrationScopes: readonly ScopeRow[] = [{ name: 'admin.plugins', pat: 'admin:system' }];
