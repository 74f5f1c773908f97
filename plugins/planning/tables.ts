// The tables of labels and milestones as entities, and their stores.
import { defineEntity, p, rows } from 'hexforge/plugin';
import { milestoneStates, type Label, type Milestone } from 'hexforge/planning';

export const LabelTable = defineEntity({
  name: 'LabelTable',
  tableName: 'planning_label',
  properties: {
    id: p.uuid().primary(),
    repositoryId: p.uuid(),
    name: p.text(),
    nameKey: p.text(),
    color: p.text(),
    description: p.text().nullable(),
  },
});

export const MilestoneTable = defineEntity({
  name: 'MilestoneTable',
  tableName: 'planning_milestone',
  properties: {
    id: p.uuid().primary(),
    repositoryId: p.uuid(),
    title: p.text(),
    description: p.text(),
    dueDate: p.date().nullable(),
    state: p.enum(milestoneStates),
    createdAt: p.datetime(),
    closedAt: p.datetime().nullable(),
  },
});

const references = { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } } as const;

export const stores = {
  labels: rows<Label>(LabelTable, { uniques: { planning_label_name: ['repositoryId', 'nameKey'] }, references }),
  milestones: rows<Milestone>(MilestoneTable, { references }),
};
