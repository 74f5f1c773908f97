// Routes of document B, "Issues": labels.
import { api, changes, reads, reply, shape, uuidPattern, word, type Instance, type Route } from 'hexforge/plugin';
import type { LabelUseCases } from '#core/planning/use-cases';
import { labelBody, labelChangeBody, labelJson, labelListJson, presentLabel } from './schemas.ts';

const path = '/repos/{owner}/{repo}/labels';
const reading = { access: reads('repository', 'issue.read'), scope: 'issue.read' } as const;
const writing = { access: changes('repository', 'label.create'), scope: 'issue.write' } as const;

export const labelRoutes = (labels: LabelUseCases, { baseUrl }: Pick<Instance, 'baseUrl'>): readonly Route[] => [
  api({
    ...reading,
    id: 'labelList',
    summary: 'List labels',
    method: 'GET',
    path,
    result: labelListJson,
    run: async (_call, { granted }) => (await labels.list(granted)).map(presentLabel),
  }),
  api({
    ...writing,
    id: 'labelCreate',
    summary: 'Create a label',
    method: 'POST',
    path,
    body: labelBody,
    success: 201,
    result: labelJson,
    statuses: [409, 422],
    run: async (_call, { granted, body }) => presentLabel(await labels.create(granted, body)),
  }),
  api({
    ...reading,
    id: 'labelFetch',
    summary: 'A label',
    method: 'GET',
    path: `${path}/{id}`,
    result: labelJson,
    run: async (_call, { granted, params }) => presentLabel(await labels.fetch(granted, params)),
  }),
  api({
    ...writing,
    id: 'labelUpdate',
    summary: 'Change a label',
    method: 'PATCH',
    path: `${path}/{id}`,
    body: labelChangeBody,
    result: labelJson,
    statuses: [409],
    run: async (_call, { granted, params, body }) =>
      presentLabel(await labels.update(granted, { ...body, id: params.id })),
  }),
  api({
    ...writing,
    id: 'labelDelete',
    summary: 'Delete a label',
    method: 'DELETE',
    path: `${path}/{id}`,
    params: shape({ owner: word(), repo: word(), id: word().description('An id; a name is deprecated') }),
    result: 'empty',
    run: async (_call, { granted, params: { id } }) => {
      if (uuidPattern.test(id)) return void (await labels.delete(granted, { id: id.toLowerCase() }));
      const { owner, name: repo } = granted.resource;
      const gone = await labels.delete(granted, { name: id });
      const link = `<${baseUrl}/api/v1/repos/${owner}/${repo}/labels/${gone.id}>; rel="successor-version"`;
      return reply(undefined, { headers: { deprecation: 'true', link } });
    },
  }),
];
