// The table of labels: as an entity, and the migration that makes it.
import { defineEntity, p, type Migration } from 'hexforge/plugin';

export const LabelTable = defineEntity({
  name: 'LabelTable',
  tableName: 'labels_label',
  properties: { id: p.uuid().primary(), repositoryId: p.uuid(), name: p.text(), nameKey: p.text(), color: p.text() },
});

export const labels: Migration = {
  name: '001-labels',
  up: [
    `create table labels_label (
      id uuid primary key, repository_id uuid not null references repositories_repository (id) on delete cascade,
      name text not null, name_key text not null, color text not null,
      constraint labels_label_name unique (repository_id, name_key)
    )`,
  ],
};
