// The routes of comments on issues.
import { api, type Route } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import { arrayPage, arrayQuery, issueParams, issuesPath, reading, writing } from '../params.ts';
import { commentBody, commentJson, commentParams, commentsJson, presentComment } from './schemas.ts';

const path = `${issuesPath}/{number}/comments` as const;

export const commentRoutes = ({ comments }: IssueUseCases): readonly Route[] => [
  api({
    id: 'issueCommentList',
    summary: 'List the comments on an issue',
    method: 'GET',
    path,
    ...reading,
    params: issueParams,
    query: arrayQuery,
    result: commentsJson,
    run: async (_call, { granted, params, query }) =>
      (await comments.list(granted, { number: params.number, page: arrayPage(query) })).map(presentComment),
  }),
  api({
    ...writing,
    id: 'issueCommentCreate',
    summary: 'Comment on an issue',
    method: 'POST',
    path,
    params: issueParams,
    body: commentBody,
    success: 201,
    result: commentJson,
    run: async (_call, { granted, params, body }) =>
      presentComment(await comments.create(granted, { ...body, number: params.number })),
  }),
  api({
    ...writing,
    id: 'issueCommentUpdate',
    summary: 'Change a comment',
    method: 'PATCH',
    path: `${path}/{cid}`,
    params: commentParams,
    body: commentBody,
    result: commentJson,
    run: async (_call, { granted, params, body }) =>
      presentComment(await comments.update(granted, { ...body, number: params.number, id: params.cid })),
  }),
  api({
    ...writing,
    id: 'issueCommentDelete',
    summary: 'Delete a comment',
    method: 'DELETE',
    path: `${path}/{cid}`,
    params: commentParams,
    result: 'empty',
    run: (_call, { granted, params }) => comments.delete(granted, { number: params.number, id: params.cid }),
  }),
];
