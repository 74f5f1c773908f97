// The migrations of the authorization server.
import type { Migration } from 'hexforge/plugin';

export const tables = [
  'oauth_server_client',
  'oauth_server_grant',
  'oauth_server_code',
  'oauth_server_family',
  'oauth_server_refresh_token',
  'oauth_server_access_token',
  'oauth_server_key',
];

export const migrations: readonly Migration[] = [
  {
    name: '001-authorization-server',
    up: [
      `create table oauth_server_client (
        id uuid primary key,
        client_id text not null constraint oauth_server_client_client_id unique,
        name text not null,
        name_key text not null,
        description text not null,
        homepage_url text not null,
        logo_url text not null,
        redirect_uris jsonb not null,
        scopes jsonb not null,
        auth_method text not null check (auth_method in ('client_secret_basic', 'client_secret_post', 'none')),
        suspended boolean not null,
        owner_id uuid references identity_user (id) on delete cascade,
        secret_hash text,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        last_used_at timestamptz,
        check ((secret_hash is null) = (auth_method = 'none'))
      )`,
      'create index oauth_server_client_owner on oauth_server_client (owner_id, created_at desc)',
      'create index oauth_server_client_name on oauth_server_client (name_key, created_at desc)',
      `create table oauth_server_grant (
        id uuid primary key,
        user_id uuid not null references identity_user (id) on delete cascade,
        client_id uuid not null references oauth_server_client (id) on delete cascade,
        resource text not null,
        scopes jsonb not null,
        remembered jsonb,
        redirect_origin text not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint oauth_server_grant_once unique (user_id, client_id, resource)
      )`,
      'create index oauth_server_grant_client on oauth_server_grant (client_id, updated_at desc)',
      `create table oauth_server_code (
        hash text primary key,
        grant_id uuid not null references oauth_server_grant (id) on delete cascade,
        session_id uuid not null,
        redirect_uri text not null,
        challenge text not null,
        scopes jsonb not null,
        nonce text,
        auth_time timestamptz not null,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        taken_at timestamptz,
        family_id uuid,
        misses integer not null default 0
      )`,
      'create index oauth_server_code_grant on oauth_server_code (grant_id)',
      'create index oauth_server_code_expiry on oauth_server_code (expires_at)',
      `create table oauth_server_family (
        id uuid primary key,
        grant_id uuid not null references oauth_server_grant (id) on delete cascade,
        scopes jsonb not null,
        auth_time timestamptz not null,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        ended_at timestamptz
      )`,
      'create index oauth_server_family_grant on oauth_server_family (grant_id)',
      'create index oauth_server_family_expiry on oauth_server_family (expires_at)',
      `create table oauth_server_refresh_token (
        hash text primary key,
        family_id uuid not null references oauth_server_family (id) on delete cascade,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        used_at timestamptz
      )`,
      'create index oauth_server_refresh_token_family on oauth_server_refresh_token (family_id)',
      `create table oauth_server_access_token (
        id uuid not null,
        hash text primary key,
        family_id uuid not null references oauth_server_family (id) on delete cascade,
        scopes jsonb not null,
        created_at timestamptz not null,
        expires_at timestamptz not null
      )`,
      'create index oauth_server_access_token_family on oauth_server_access_token (family_id)',
      'create index oauth_server_access_token_expiry on oauth_server_access_token (expires_at)',
      `create table oauth_server_key (
        id text primary key,
        public_jwk jsonb not null,
        sealed text not null,
        created_at timestamptz not null
      )`,
    ],
  },
  {
    name: '002-bounds',
    up: [
      'create index oauth_server_refresh_token_expiry on oauth_server_refresh_token (expires_at)',
      // A family may have any number of tokens. Without the foreign keys, ending it updates one row; its tokens become
      // invalid and are pruned when they expire.
      'alter table oauth_server_refresh_token drop constraint oauth_server_refresh_token_family_id_fkey',
      'alter table oauth_server_access_token drop constraint oauth_server_access_token_family_id_fkey',
      // The path of a resource is now stored in lower case, so answers remembered under another spelling are removed.
      `update oauth_server_grant set remembered = null
        where substring(resource from '/api/v1/mcp/.*$') <> lower(substring(resource from '/api/v1/mcp/.*$'))`,
    ],
  },
  {
    name: '003-scopes-changed',
    up: ['alter table oauth_server_client add column scopes_changed_at timestamptz'],
  },
];
