// The routes of user groups and their members.
import { admin, api, pageRules, readSlice, type Route } from 'hexforge/plugin';
import type { IdentityUseCases } from '#core/identity/use-cases';
import {
  groupBody,
  groupChangeBody,
  groupJson,
  groupListJson,
  memberBody,
  memberJson,
  memberListJson,
  memberParams,
  memberQuery,
  presentGroup,
  presentMember,
} from './schemas.ts';

const guarded = { access: admin('admin:users'), scope: 'admin.users' } as const;
const path = '/admin/user-groups';
const memberRule = pageRules.maximum(100, 500);

export const groupRoutes = ({ groups }: IdentityUseCases): readonly Route[] => [
  api({
    ...guarded,
    id: 'userGroupList',
    summary: 'All user groups, the system ones first',
    method: 'GET',
    path,
    result: groupListJson,
    async run(call) {
      const all = (await groups.list(call)).map(presentGroup);
      return { groups: all, total: all.length };
    },
  }),
  api({
    ...guarded,
    id: 'userGroupCreate',
    summary: 'Create a user group',
    method: 'POST',
    path,
    body: groupBody,
    success: 201,
    result: groupJson,
    statuses: [409, 422],
    run: async (call, { body: { name, description = '', role = 'member', grant_admin: grantAdmin = false } }) =>
      presentGroup(await groups.create(call, { name, description, role, grantAdmin })),
  }),
  api({
    ...guarded,
    id: 'userGroupFetch',
    summary: 'One user group',
    method: 'GET',
    path: `${path}/{id}`,
    result: groupJson,
    statuses: [404],
    run: async (call, { params }) => presentGroup(await groups.fetch(call, params)),
  }),
  api({
    ...guarded,
    id: 'userGroupUpdate',
    summary: 'Change the name, description or role of a user group',
    method: 'PATCH',
    path: `${path}/{id}`,
    body: groupChangeBody,
    result: groupJson,
    statuses: [404, 409, 422],
    run: async (call, { params, body: { grant_admin: grantAdmin, ...change } }) =>
      presentGroup(await groups.update(call, { ...change, id: params.id, grantAdmin })),
  }),
  api({
    ...guarded,
    id: 'userGroupDelete',
    summary: 'Delete a user group; its members stay users',
    method: 'DELETE',
    path: `${path}/{id}`,
    result: 'empty',
    statuses: [404, 409],
    run: (call, { params }) => groups.delete(call, params),
  }),
  api({
    ...guarded,
    id: 'userGroupMembers',
    summary: 'The members of a user group, by name',
    method: 'GET',
    path: `${path}/{id}/members`,
    query: memberQuery,
    result: memberListJson,
    statuses: [404],
    async run(call, { params, query }) {
      const { members, total } = await groups.members(call, { id: params.id, ...readSlice(memberRule, query) });
      return { members: members.map(presentMember), total };
    },
  }),
  api({
    ...guarded,
    id: 'userGroupMemberAdd',
    summary: 'Put a user into a group',
    method: 'POST',
    path: `${path}/{id}/members`,
    body: memberBody,
    success: 201,
    result: memberJson,
    statuses: [404, 409],
    run: async (call, { params, body }) =>
      presentMember(await groups.addMember(call, { id: params.id, userId: body.user_id })),
  }),
  api({
    ...guarded,
    id: 'userGroupMemberRemove',
    summary: 'Take a user out of a group',
    method: 'DELETE',
    path: `${path}/{id}/members/{uid}`,
    params: memberParams,
    result: 'empty',
    statuses: [404, 409],
    run: (call, { params }) => groups.removeMember(call, { id: params.id, userId: params.uid }),
  }),
];
