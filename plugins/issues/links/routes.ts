// The routes of links between issues.
import { api, type Route } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import { issueParams, issuesPath, managing, reading } from '../params.ts';
import { linkBody, linkJson, linkParams, linksJson, presentLink } from './schemas.ts';

const path = `${issuesPath}/{number}/links` as const;

export const linkRoutes = ({ links }: IssueUseCases): readonly Route[] => [
  api({
    id: 'issueLinkList',
    summary: 'List the links from and to an issue',
    method: 'GET',
    path,
    ...reading,
    params: issueParams,
    result: linksJson,
    run: async (_call, { granted, params }) => (await links.list(granted, params)).map(presentLink),
  }),
  api({
    ...managing,
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
    ...managing,
    id: 'issueLinkDelete',
    summary: 'Delete a link from or to an issue',
    method: 'DELETE',
    path: `${path}/{id}`,
    params: linkParams,
    result: 'empty',
    run: (_call, { granted, params }) => links.delete(granted, params),
  }),
];
