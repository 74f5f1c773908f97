// The routes of a repository's type scheme.
import { api, changes, type Route } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import { reading } from '../params.ts';
import { presentScheme, schemeBody, schemeJson } from './schemas.ts';

const path = '/repos/{owner}/{repo}/issue-type-scheme';

export const typeSchemeRoutes = ({ typeScheme }: IssueUseCases): readonly Route[] => [
  api({
    id: 'issueTypeSchemeFetch',
    summary: 'The issue types that a repository uses, in its order',
    method: 'GET',
    path,
    ...reading,
    result: schemeJson,
    run: async (_call, { granted }) => presentScheme(await typeScheme.fetch(granted)),
  }),
  api({
    id: 'issueTypeSchemeReplace',
    summary: 'Choose the issue types that a repository uses',
    method: 'PUT',
    path,
    access: changes('repository', 'repo.admin'),
    scope: 'repo.admin',
    body: schemeBody,
    result: schemeJson,
    run: async (_call, { granted, body }) =>
      presentScheme(await typeScheme.replace(granted, { typeIds: body.type_ids })),
  }),
];
