// Routes of document B, "Issues": milestones.
import { api, changes, reads, type Route } from 'hexforge/plugin';
import type { MilestoneUseCases } from '#core/planning/use-cases';
import { presentMilestone, wished } from './present.ts';
import { milestoneBody, milestoneChangeBody, milestoneJson, milestoneListJson, milestoneListQuery } from './schemas.ts';

const path = '/repos/{owner}/{repo}/milestones';
const reading = { access: reads('repository', 'repo.read'), scope: 'repo.read' } as const;
const writing = { access: changes('repository', 'milestone.write'), scope: 'repo.write' } as const;

export const milestoneRoutes = (milestones: MilestoneUseCases): readonly Route[] => [
  api({
    ...reading,
    id: 'milestoneList',
    summary: 'List milestones',
    method: 'GET',
    path,
    query: milestoneListQuery,
    result: milestoneListJson,
    run: async (_call, { granted, query: { state } }) =>
      (await milestones.list(granted, { state: state === 'all' ? undefined : state })).map(presentMilestone),
  }),
  api({
    ...writing,
    id: 'milestoneCreate',
    summary: 'Create a milestone',
    method: 'POST',
    path,
    body: milestoneBody,
    success: 201,
    result: milestoneJson,
    statuses: [422],
    run: async (_call, { granted, body }) => presentMilestone(await milestones.create(granted, wished(body))),
  }),
  api({
    ...reading,
    id: 'milestoneFetch',
    summary: 'A milestone',
    method: 'GET',
    path: `${path}/{id}`,
    result: milestoneJson,
    run: async (_call, { granted, params }) => presentMilestone(await milestones.fetch(granted, params)),
  }),
  api({
    ...writing,
    id: 'milestoneUpdate',
    summary: 'Change a milestone',
    method: 'PATCH',
    path: `${path}/{id}`,
    body: milestoneChangeBody,
    result: milestoneJson,
    run: async (_call, { granted, params, body }) =>
      presentMilestone(await milestones.update(granted, { ...wished(body), id: params.id })),
  }),
  api({
    ...writing,
    id: 'milestoneDelete',
    summary: 'Delete a milestone',
    method: 'DELETE',
    path: `${path}/{id}`,
    result: 'empty',
    run: (_call, { granted, params }) => milestones.delete(granted, params).then(() => undefined),
  }),
];
