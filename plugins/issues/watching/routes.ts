// The routes for watching an issue.
import { api, changes, type Route } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import { issueParams } from '../issues/schemas.ts';

const own = {
  path: '/repos/{owner}/{repo}/issues/{number}/subscription',
  access: changes('repository', 'issue.read'),
  scope: 'issue.read',
  params: issueParams,
  result: 'empty',
} as const;

export const watchingRoutes = ({ watch, unwatch }: IssueUseCases): readonly Route[] => [
  api({
    ...own,
    id: 'issueWatch',
    summary: 'Watch an issue',
    method: 'PUT',
    run: (_call, { granted, params }) => watch(granted, params),
  }),
  api({
    ...own,
    id: 'issueUnwatch',
    summary: 'Stop watching an issue',
    method: 'DELETE',
    run: (_call, { granted, params }) => unwatch(granted, params),
  }),
];
