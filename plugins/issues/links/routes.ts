// The routes of links between issues.
import { api, changes, reads, type Route } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import { issueParams } from '../issues/schemas.ts';
import { linkBody, linkJson, linkParams, linksJson, presentLink } from './schemas.ts';

const path = '/repos/{owner}/{repo}/issues/{number}/links';
const writing = { access: changes('repository', 'issue.write'), scope: 'issue.write' } as const;

export const linkRoutes = ({ links }: IssueUseCases): readonly Route[] => [
  api({
    id: 'issueLinkList',
    summary: 'List the links from and to an issue',
    method: 'GET',
    path,
    access: reads('repository', 'issue.read'),
    scope: 'issue.read',
    params: issueParams,
    result: linksJson,
    run: async (_call, { granted, params }) => (await links.list(granted, params)).map(presentLink),
  }),
  api({
    ...writing,
    id: 'issueLinkCreate',
    summary: 'Link an issue to another one',
    method: 'POST',
    path,
    params: issueParams,
    body: linkBody,
    success: 201,
    result: linkJson,
    statuses: [409, 422],
    run: async (_call, { granted, params, body }) =>
      presentLink(
        await links.create(granted, { number: params.number, type: body.type, targetNumber: body.target_number }),
      ),
  }),
  api({
    ...writing,
    id: 'issueLinkDelete',
    summary: 'Delete a link from or to an issue',
    method: 'DELETE',
    path: `${path}/{id}`,
    params: linkParams,
    result: 'empty',
    run: (_call, { granted, params }) => links.delete(granted, params),
  }),
];
