// The routes of the history of descriptions.
import { api, changes, type Route } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import { arrayPage, arrayQuery, issueParams, issuesPath, reading } from '../params.ts';
import { editParams, editsJson, presentEdit } from './schemas.ts';

const path = `${issuesPath}/{number}/description-history` as const;

export const descriptionHistoryRoutes = ({ descriptionHistory }: IssueUseCases): readonly Route[] => [
  api({
    id: 'issueDescriptionHistoryList',
    summary: 'List the changes of the description of an issue',
    method: 'GET',
    path,
    ...reading,
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
