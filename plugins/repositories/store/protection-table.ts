// The table of branch protection as an entity, and the migration that makes it.
import { defineEntity, p, type Migration } from 'hexforge/plugin';

export const ProtectionTable = defineEntity({
  name: 'ProtectionTable',
  tableName: 'repositories_protection',
  properties: {
    repositoryId: p.uuid().primary(),
    branch: p.text().primary(),
    allowForcePush: p.boolean(),
    allowDeletion: p.boolean(),
    pushRoles: p.array(),
    requiredApprovals: p.integer(),
    pipelineOnOpen: p.boolean(),
    pipelineOnMerge: p.boolean(),
    updatedAt: p.datetime(),
  },
});

export const protectionMigration: Migration = {
  name: '002-protection',
  up: [
    `create table repositories_protection (
      repository_id uuid not null references repositories_repository (id) on delete cascade,
      branch text not null,
      allow_force_push boolean not null,
      allow_deletion boolean not null,
      push_roles text[] not null,
      required_approvals integer not null,
      pipeline_on_open boolean not null,
      pipeline_on_merge boolean not null,
      updated_at timestamptz not null,
      primary key (repository_id, branch)
    )`,
  ],
};
