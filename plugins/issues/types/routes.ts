// The routes of issue types.
import { api, camelCased, signedIn, superAdmin, type Route } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import { issueTypeJson, presentIssueType, typeBody, typeChangeBody, typeListJson } from './schemas.ts';

/** Reading issue types requires an authenticated caller; a token may have any scope. */
const reading = { access: signedIn, scope: null } as const;
const administered = { access: superAdmin, scope: 'admin.system' } as const;
const names = { icon_name: 'icon' } as const;

export const typeRoutes = ({ types }: IssueUseCases): readonly Route[] => [
  api({
    ...reading,
    id: 'issueTypeList',
    summary: 'List issue types',
    method: 'GET',
    path: '/issue-types',
    result: typeListJson,
    run: async (call) => (await types.list(call)).map(presentIssueType),
  }),
  api({
    ...reading,
    id: 'issueTypeFetch',
    summary: 'One issue type',
    method: 'GET',
    path: '/issue-types/{id}',
    result: issueTypeJson,
    statuses: [404],
    run: async (call, { params }) => presentIssueType(await types.fetch(call, params)),
  }),
  api({
    ...administered,
    id: 'issueTypeCreate',
    summary: 'Create an issue type',
    method: 'POST',
    path: '/admin/issue-types',
    body: typeBody,
    success: 201,
    result: issueTypeJson,
    statuses: [409, 422],
    run: async (call, { body }) => presentIssueType(await types.create(call, camelCased(body, names))),
  }),
  api({
    ...administered,
    id: 'issueTypeUpdate',
    summary: 'Change an issue type, all but its name and whether it is a sub-task',
    method: 'PATCH',
    path: '/admin/issue-types/{id}',
    body: typeChangeBody,
    result: issueTypeJson,
    statuses: [404],
    run: async (call, { params, body }) =>
      presentIssueType(await types.update(call, { ...camelCased(body, names), id: params.id })),
  }),
  api({
    ...administered,
    id: 'issueTypeDelete',
    summary: 'Delete an issue type that no issue has',
    method: 'DELETE',
    path: '/admin/issue-types/{id}',
    result: 'empty',
    statuses: [404, 409],
    run: (call, { params }) => types.delete(call, params),
  }),
];
