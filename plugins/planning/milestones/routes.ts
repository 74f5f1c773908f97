// The routes of milestones.
import { camelCased, changes, operations, reads, type Route } from 'hexforge/plugin';
import type { MilestoneUseCases } from '#core/planning/use-cases';
import { milestoneBody, milestoneChangeBody, milestoneJson, milestoneListQuery, presentMilestone } from './schemas.ts';

export const reading = { access: reads('repository', 'repo.read'), scope: 'repo.read' } as const;
export const writing = { access: changes('repository', 'milestone.write'), scope: 'repo.write' } as const;

const milestone = operations({
  noun: 'milestone',
  path: '/repos/{owner}/{repo}/milestones',
  reading,
  writing,
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
