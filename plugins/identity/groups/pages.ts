// The pages of user groups.
import {
  admin,
  flag,
  form,
  HtmlPage,
  maybe,
  offsetOf,
  page,
  pageQuery,
  pageRules,
  readPage,
  shape,
  text,
  uuid,
  ValidationFailed,
  word,
  type MenuEntry,
  type WebPage,
} from 'hexforge/plugin';
import { groupLimits, usernameLimit } from 'hexforge/identity';
import { checkTyped, onlyChanged } from 'hexforge/ui';
import type { IdentityUseCases } from '#core/identity/use-cases';
import { shown } from '../accounts/schemas.ts';
import { groupList, groupPath, groupsPath, groupView, newGroup } from './views.ts';

const guarded = { access: admin('admin:users'), scope: 'admin.users' } as const;
const one = '/admin/user-groups/{id}';
const params = shape({ id: uuid() });
const fields = {
  name: word().max(groupLimits.name),
  description: text().max(groupLimits.description).default(''),
  role: maybe(word().max(50)),
  grant_admin: flag().default(false),
};

const groupForms = ({ groups, users }: IdentityUseCases) => [
  form({
    ...guarded,
    id: 'userGroupUpdateForm',
    summary: 'Changes a user group',
    path: `${one}/edit`,
    body: shape({ ...fields, shown }),
    run: async (call, { params: { id }, body: { grant_admin: grantAdmin, shown: before, ...change } }) =>
      `${groupPath(await groups.update(call, { id, ...onlyChanged(change, before), grantAdmin }))}?done=saved`,
  }),
  form({
    ...guarded,
    id: 'userGroupMemberAddForm',
    summary: 'Adds a user to a group',
    path: `${one}/add`,
    body: shape({ username: word().max(usernameLimit) }),
    async run(call, { params: { id }, body: { username } }) {
      const user = await users.byUsername(username);
      if (user === undefined)
        throw new ValidationFailed('The member is not added', { detail: '"username" is not the name of a user' });
      await groups.addMember(call, { id, userId: user.id });
      return groupPath({ id });
    },
  }),
  form({
    ...guarded,
    id: 'userGroupMemberRemoveForm',
    summary: 'Removes a user from a group',
    path: `${one}/remove`,
    body: shape({ user_id: uuid() }),
    async run(call, { params: { id }, body: { user_id: userId } }) {
      await groups.removeMember(call, { id, userId });
      return groupPath({ id });
    },
  }),
  form({
    ...guarded,
    id: 'userGroupDeleteForm',
    summary: 'Deletes a user group',
    path: `${one}/delete`,
    body: shape({ confirm: word() }),
    async run(call, { params: { id }, body }) {
      checkTyped(body.confirm, (await groups.fetch(call, { id })).slug, 'group');
      await groups.delete(call, { id });
      return groupsPath;
    },
  }),
];

export const groupPages = (useCases: IdentityUseCases): readonly WebPage[] => {
  const { groups } = useCases;
  return [
    page({
      ...guarded,
      id: 'userGroupsPage',
      summary: 'All user groups',
      path: '/admin/user-groups',
      run: async (call) =>
        new HtmlPage({ title: 'User groups', width: 'wide', main: groupList(await groups.list(call)) }),
    }),
    page({
      ...guarded,
      id: 'userGroupNewPage',
      summary: 'Asks for a new user group',
      path: '/admin/user-groups/new',
      run: (call, { refused }) =>
        new HtmlPage({ title: 'New user group', width: 'wide', main: newGroup(call, refused) }),
      forms: [
        form({
          ...guarded,
          id: 'userGroupCreateForm',
          summary: 'Creates a user group',
          path: '/admin/user-groups/new',
          body: shape(fields),
          run: async (call, { body: { grant_admin: grantAdmin, role = 'member', ...group } }) =>
            groupPath(await groups.create(call, { ...group, role, grantAdmin })),
        }),
      ],
    }),
    page({
      ...guarded,
      id: 'userGroupPage',
      summary: 'One user group with its members',
      path: one,
      params,
      query: shape({ ...pageQuery, done: maybe(word().empty('').max(16)) }),
      async run(call, { params: { id }, query, url, refused }) {
        const at = readPage(pageRules.orDefault(50), query);
        const [group, { members: items, total }] = await Promise.all([
          groups.fetch(call, { id }),
          groups.members(call, { id, limit: at.perPage, offset: offsetOf(at) }),
        ]);
        const members = { ...at, items, total };
        return new HtmlPage({
          title: group.name,
          width: 'wide',
          main: groupView({ group, members, url, saved: query.done !== undefined }, call, refused),
        });
      },
      forms: groupForms(useCases),
    }),
  ];
};

export const groupMenu = ({ groups }: IdentityUseCases): MenuEntry => ({
  id: 'userGroups',
  title: 'User groups',
  path: groupsPath,
  menu: 'admin',
  access: guarded.access,
  order: 12,
  about: 'Groups of users, which have budgets of their own',
  count: async (call) => (await groups.list(call)).length,
});
