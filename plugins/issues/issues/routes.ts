// The routes of issues: list, create, fetch, update, close, reopen, delete, and the hierarchy.
import { api, changes, presentPage, reads, type Route } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import { arrayPage, listCommand, written } from './commands.ts';
import { presentIssue, presentItem } from './present.ts';
import {
  arrayQuery,
  issueBody,
  issueChangeBody,
  issueItemsJson,
  issueJson,
  issueListQuery,
  issueParams,
  issuePageJson,
  parentBody,
} from './schemas.ts';

const path = '/repos/{owner}/{repo}/issues';
const reading = { access: reads('repository', 'issue.read'), scope: 'issue.read' } as const;
/** Requires a user who may read. The use case checks further rights, because they depend on the author. */
const writing = { access: changes('repository', 'issue.read'), scope: 'issue.write' } as const;

export const issueRoutes = (issues: IssueUseCases): readonly Route[] => [
  api({
    ...reading,
    id: 'issueList',
    summary: 'List issues',
    method: 'GET',
    path,
    query: issueListQuery,
    result: issuePageJson,
    run: async (_call, { granted, query }) => presentPage(await issues.list(granted, listCommand(query)), presentItem),
  }),
  api({
    ...writing,
    id: 'issueCreate',
    summary: 'Open an issue',
    method: 'POST',
    path,
    body: issueBody,
    success: 201,
    result: issueJson,
    statuses: [422],
    run: async (_call, { granted, body }) => presentIssue(await issues.create(granted, written(body))),
  }),
  api({
    ...reading,
    id: 'issueFetch',
    summary: 'Fetch an issue',
    method: 'GET',
    path: `${path}/{number}`,
    params: issueParams,
    result: issueJson,
    run: async (_call, { granted, params }) => presentIssue(await issues.fetch(granted, params)),
  }),
  api({
    ...writing,
    id: 'issueUpdate',
    summary: 'Change an issue',
    method: 'PATCH',
    path: `${path}/{number}`,
    params: issueParams,
    body: issueChangeBody,
    result: issueJson,
    run: async (_call, { granted, params, body }) =>
      presentIssue(await issues.update(granted, { ...written(body), number: params.number })),
  }),
  api({
    ...writing,
    id: 'issueClose',
    summary: 'Close an issue',
    method: 'POST',
    path: `${path}/{number}/close`,
    params: issueParams,
    result: 'empty',
    run: (_call, { granted, params }) => issues.close(granted, params),
  }),
  api({
    ...writing,
    id: 'issueReopen',
    summary: 'Reopen an issue',
    method: 'POST',
    path: `${path}/{number}/reopen`,
    params: issueParams,
    result: 'empty',
    run: (_call, { granted, params }) => issues.reopen(granted, params),
  }),
  api({
    id: 'issueDelete',
    summary: 'Delete an issue',
    method: 'DELETE',
    path: `${path}/{number}`,
    params: issueParams,
    access: changes('repository', 'repo.own'),
    scope: 'repo.admin',
    result: 'empty',
    run: (_call, { granted, params }) => issues.delete(granted, params),
  }),
  api({
    ...reading,
    id: 'issueChildren',
    summary: 'List the children of an issue',
    method: 'GET',
    path: `${path}/{number}/children`,
    params: issueParams,
    query: arrayQuery,
    result: issueItemsJson,
    run: async (_call, { granted, params, query }) =>
      (await issues.children(granted, { number: params.number, page: arrayPage(query) })).map(presentItem),
  }),
  api({
    ...writing,
    id: 'issueParentSet',
    summary: 'Put an issue under another one',
    method: 'PUT',
    path: `${path}/{number}/parent`,
    params: issueParams,
    body: parentBody,
    result: 'empty',
    statuses: [422],
    run: (_call, { granted, params, body }) =>
      issues.setParent(granted, { number: params.number, parentNumber: body.parent_number }),
  }),
  api({
    ...writing,
    id: 'issueParentClear',
    summary: 'Take an issue out from under its parent',
    method: 'DELETE',
    path: `${path}/{number}/parent`,
    params: issueParams,
    result: 'empty',
    run: (_call, { granted, params }) => issues.clearParent(granted, params),
  }),
];
