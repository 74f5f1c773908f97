// The routes for watching an issue.
import { api, changes, type Route } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import { issueParams, issuesPath } from '../params.ts';

export const watchingRoutes = ({ watch, unwatch }: IssueUseCases): readonly Route[] =>
  (
    [
      ['issueWatch', 'Watch an issue', 'PUT', watch],
      ['issueUnwatch', 'Stop watching an issue', 'DELETE', unwatch],
    ] as const
  ).map(([id, summary, method, run]) =>
    api({
      id,
      summary,
      method,
      path: `${issuesPath}/{number}/subscription`,
      access: changes('repository', 'issue.read'),
      scope: 'issue.read',
      params: issueParams,
      result: 'empty',
      run: (_call, { granted, params }) => run(granted, params),
    }),
  );
