// The routes of user groups and their members.
import { admin, api, operations, pageRules, readSlice, type Route } from 'hexforge/plugin';
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
const group = operations({
  noun: 'user group',
  id: 'userGroup',
  path,
  reading: guarded,
  writing: guarded,
  json: groupJson,
  present: presentGroup,
});

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
  group.create({
    summary: 'Create a user group',
    body: groupBody,
    statuses: [409, 422],
    run: (call, { name, description = '', role = 'member', grant_admin: grantAdmin = false }) =>
      groups.create(call, { name, description, role, grantAdmin }),
  }),
  group.fetch({ summary: 'One user group', statuses: [404], run: groups.fetch }),
  group.update({
    summary: 'Change the name, description or role of a user group',
    body: groupChangeBody,
    statuses: [404, 409, 422],
    run: (call, { grant_admin: grantAdmin, ...change }) => groups.update(call, { ...change, grantAdmin }),
  }),
  group.delete({ summary: 'Delete a user group; its members stay users', statuses: [404, 409], run: groups.delete }),
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
