// The migrations of sign-in with SAML.
import type { Migration } from 'hexforge/plugin';

export const tables = ['saml_key'];

export const migrations: readonly Migration[] = [
  {
    name: '001-keys',
    up: [
      `create table saml_key (
        id text primary key,
        certificate text not null,
        sealed text not null,
        created_at timestamptz not null
      )`,
    ],
  },
];
