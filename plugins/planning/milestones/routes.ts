// The routes of milestones.
import { camelCased, changes, operations, reads, type Route } from 'hexforge/plugin';
import type { MilestoneUseCases } from '#core/planning/use-cases';
import { milestoneBody, milestoneChangeBody, milestoneJson, milestoneListQuery, presentMilestone } from './schemas.ts';

const milestone = operations({
  noun: 'milestone',
  path: '/repos/{owner}/{repo}/milestones',
  reading: { access: reads('repository', 'repo.read'), scope: 'repo.read' },
  writing: { access: changes('repository', 'milestone.write'), scope: 'repo.write' },
  json: milestoneJson,
  present: presentMilestone,
});

export const milestoneRoutes = (milestones: MilestoneUseCases): readonly Route[] => [
  milestone.list({
    query: milestoneListQuery,
    run: (granted, { state }) => milestones.list(granted, { state: state === 'all' ? undefined : state }),
  }),
  milestone.create({
    body: milestoneBody,
    statuses: [422],
    run: (granted, body) => milestones.create(granted, camelCased(body)),
  }),
  milestone.fetch({ run: milestones.fetch }),
  milestone.update({
    body: milestoneChangeBody,
    run: (granted, change) => milestones.update(granted, camelCased(change)),
  }),
  milestone.delete({ run: milestones.delete }),
];
