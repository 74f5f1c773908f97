// The routes of the history of descriptions.
import { api, changes, reads, type Route } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import { arrayPage } from '../issues/commands.ts';
import { arrayQuery, issueParams } from '../issues/schemas.ts';
import { editParams, editsJson, presentEdit } from './schemas.ts';

const path = '/repos/{owner}/{repo}/issues/{number}/description-history';

export const descriptionHistoryRoutes = ({ descriptionHistory }: IssueUseCases): readonly Route[] => [
  api({
    id: 'issueDescriptionHistoryList',
    summary: 'List the changes of the description of an issue',
    method: 'GET',
    path,
    access: reads('repository', 'issue.read'),
    scope: 'issue.read',
    params: issueParams,
    query: arrayQuery,
    result: editsJson,
    run: async (_call, { granted, params, query }) =>
      (await descriptionHistory.list(granted, { number: params.number, page: arrayPage(query) })).map(presentEdit),
  }),
  api({
    id: 'issueDescriptionHistoryDelete',
    summary: 'Delete an entry of the history of a description',
    method: 'DELETE',
    path: `${path}/{id}`,
    access: changes('repository', 'repo.admin'),
    scope: 'repo.admin',
    params: editParams,
    result: 'empty',
    run: (_call, { granted, params }) => descriptionHistory.delete(granted, params),
  }),
];
