// The migrations of stored settings.
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
    // A purge finds the settings of a plugin by this column.
    up: ['alter table settings_setting add column hexforge_plugin text'],
  },
];
