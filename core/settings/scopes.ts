// Token scopes of the settings area. Personal access tokens need `admin:system`.
import type { ScopeRow } from '#core/kernel/access/scopes';

declare module '#core/kernel/access/scopes' {
  interface Scopes {
    'admin.settings': true;
  }
}

/** The scope rows of this area. */
export const settingsScopes: readonly ScopeRow[] = [{ name: 'admin.settings', pat: 'admin:system' }];
