// The routes of labels.
import {
  api,
  changes,
  deprecation,
  operations,
  reads,
  reply,
  shape,
  uuidPattern,
  word,
  type Instance,
  type Route,
} from 'hexforge/plugin';
import type { LabelUseCases } from '#core/planning/use-cases';
import { labelBody, labelChangeBody, labelJson, presentLabel } from './schemas.ts';

const path = '/repos/{owner}/{repo}/labels';
/** Labels were addressed by name before the first release. */
const since = new Date('2026-01-01T00:00:00Z');
export const reading = { access: reads('repository', 'issue.read'), scope: 'issue.read' } as const;
export const writing = { access: changes('repository', 'label.create'), scope: 'issue.write' } as const;
const label = operations({ noun: 'label', path, reading, writing, json: labelJson, present: presentLabel });

export const labelRoutes = (labels: LabelUseCases, { baseUrl }: Pick<Instance, 'baseUrl'>): readonly Route[] => [
  label.list({ run: labels.list }),
  label.create({ body: labelBody, statuses: [409, 422], run: labels.create }),
  label.fetch({ run: labels.fetch }),
  label.update({ body: labelChangeBody, statuses: [409], run: labels.update }),
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
      const successor = `${baseUrl}/api/v1/repos/${owner}/${repo}/labels/${gone.id}`;
      return reply(undefined, { headers: deprecation(since, successor) });
    },
  }),
];
