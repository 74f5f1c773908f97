// The schema of stored settings.
import type { Migration } from 'hexforge/plugin';

export const migrations: readonly Migration[] = [
  {
    name: '001-settings',
    up: [
      `create table settings_setting (
        key text primary key,
        text text not null,
        sealed boolean not null,
        updated_at timestamptz not null
      )`,
    ],
  },
  {
    name: '002-whose-settings',
    // The column by which a purge finds what is kept for a plugin.
    up: ['alter table settings_setting add column hexforge_plugin text'],
  },
];
