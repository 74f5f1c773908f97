// The routes of review comments.
import { api, camelCased, pageRules, readPage, type Route } from 'hexforge/plugin';
import type { MergeUseCases } from '#core/merges/use-cases';
import { changingComment, mergeParams, reading, requestPath, writing } from '../params.ts';
import {
  commentBody,
  commentChangeBody,
  commentJson,
  commentParams,
  commentQuery,
  commentsJson,
  presentComment,
} from './schemas.ts';

const path = `${requestPath}/comments` as const;
export const commentRoutes = ({ comments }: MergeUseCases): readonly Route[] => [
  api({
    id: 'mergeCommentList',
    summary: 'List the comments on a merge request',
    method: 'GET',
    path,
    ...reading,
    params: mergeParams,
    query: commentQuery,
    result: commentsJson,
    run: async (_call, { granted, params: { number }, query }) =>
      (await comments.list(granted, { number, page: readPage(pageRules.orDefault(100), query) })).map(presentComment),
  }),
  api({
    id: 'mergeCommentCreate',
    summary: 'Comment on a merge request',
    method: 'POST',
    path,
    ...writing,
    params: mergeParams,
    body: commentBody,
    success: 201,
    result: commentJson,
    run: async (_call, { granted, params: { number }, body }) =>
      presentComment(await comments.create(granted, { ...camelCased(body, { commit_sha: 'commitOid' }), number })),
  }),
  api({
    ...changingComment,
    id: 'mergeCommentUpdate',
    summary: 'Change or resolve a comment',
    method: 'PATCH',
    path: `${path}/{cid}`,
    params: commentParams,
    body: commentChangeBody,
    result: commentJson,
    run: async (_call, { granted, params: { number, cid }, body }) =>
      presentComment(await comments.update(granted, { ...body, number, id: cid })),
  }),
  api({
    ...changingComment,
    id: 'mergeCommentDelete',
    summary: 'Delete a comment',
    method: 'DELETE',
    path: `${path}/{cid}`,
    params: commentParams,
    result: 'empty',
    run: (_call, { granted, params: { number, cid } }) => comments.delete(granted, { number, id: cid }),
  }),
];
