// Token scopes and settings of the search area.
import type { ScopeRow } from '#core/kernel/access/scopes';
import type { SettingSpec } from '#core/kernel/services/settings';

declare module '#core/kernel/access/scopes' {
  interface Scopes {
    'admin.search': true;
  }
}

declare module '#core/kernel/services/settings' {
  interface SettingValues {
    'search.docs.repositories': string;
  }
}

/** The scope rows of this area. */
export const searchScopes: readonly ScopeRow[] = [{ name: 'admin.search', pat: 'admin:system' }];

/** The settings of this area. */
export const searchSettings: readonly SettingSpec<'search.docs.repositories'>[] = [
  {
    key: 'search.docs.repositories',
    type: 'string',
    default: '',
    maxLength: 10_000,
    description: 'Repositories whose Markdown is found as documentation: owner/name, separated by commas',
  },
];
