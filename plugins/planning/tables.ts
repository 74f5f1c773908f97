// The tables of this plugin as entities.
import { defineEntity, p } from 'hexforge/plugin';
import { milestoneStates } from 'hexforge/planning';

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
