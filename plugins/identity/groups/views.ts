// Views of user groups: the list, the form for a group, and one group with its members.
import { groupLimits, groupRoles, type CountedGroup, type GroupMember } from 'hexforge/identity';
import { html, type Call, type Html, type HtmlPiece, type Page, type RefusedForm, type User } from 'hexforge/plugin';
import {
  avatar,
  button,
  checkBox,
  done,
  empty,
  field,
  formError,
  group as section,
  linkButton,
  pagination,
  pill,
  refusedIn,
  select,
  shownValues,
  table,
  textArea,
  time,
  typedDeletion,
  urlWith,
} from 'hexforge/ui';

export const groupsPath = '/-/admin/user-groups';
export const groupPath = ({ id }: Pick<CountedGroup, 'id'>): string => `${groupsPath}/${id}`;

const roleTitles = { member: 'Member', instance_admin: 'Instance administrator' } as const;

export const groupList = (groups: readonly CountedGroup[]): Html =>
  html`<div class="bar">
      <h1 class="grow">User groups <span class="count">${String(groups.length)}</span></h1>
      ${linkButton('New group', `${groupsPath}/new`, { kind: 'primary' })}
    </div>
    ${table(
      ['Group', 'Budgets of', 'Members', 'About'],
      groups.map((group) => [
        html`<a href="${groupPath(group)}"><bdi>${group.name}</bdi></a> ${group.isSystem && pill('built in')}`,
        roleTitles[group.role],
        String(group.memberCount),
        html`<bdi>${group.description}</bdi>`,
      ]),
    )}`;

/** The fields of a new or an existing group. */
export function groupFields(
  { caller }: Call<User>,
  refused: RefusedForm | undefined,
  group?: CountedGroup,
): readonly HtmlPiece[] {
  const choices = groupRoles
    .filter((role) => caller.isAdmin || role === 'member')
    .map((value) => ({ value, label: roleTitles[value] }));
  return [
    field({
      label: 'Name',
      name: 'name',
      required: true,
      value: group?.name,
      hint: `Up to ${groupLimits.name} characters with a letter or digit; the short name is made from it`,
      refused,
    }),
    textArea({ label: 'Description', name: 'description', rows: 3, value: group?.description ?? '', refused }),
    group?.isSystem !== true && [
      select({
        label: 'Budgets of',
        name: 'role',
        value: group?.role ?? 'member',
        choices,
        hint: 'Decides the default budgets of requests. It makes nobody an administrator.',
        refused,
      }),
      caller.isAdmin &&
        checkBox({
          label: 'Members get the budgets of instance administrators',
          name: 'grant_admin',
          hint: 'Needed for that choice, so that it is not made by mistake',
          value: group?.role === 'instance_admin',
          refused,
        }),
    ],
  ];
}

export const newGroup = (call: Call<User>, refused: RefusedForm | undefined): Html =>
  html`<h1>New user group</h1>
    ${formError(refused, 'userGroupCreateForm', 'name', 'description', 'role', 'grant_admin')}
    <form class="form" method="post" action="${groupsPath}/new">
      ${groupFields(call, refused)}
      <div class="actions">${button('Create', { kind: 'primary' })} <a href="${groupsPath}">Cancel</a></div>
    </form>`;

interface Shown {
  readonly group: CountedGroup;
  readonly members: Page<GroupMember>;
  readonly url: string;
  /** Whether the form that changes it led here. */
  readonly saved: boolean;
}

const removal = (group: CountedGroup, { user }: GroupMember): Html =>
  html`<form method="post" action="${groupPath(group)}/remove">
    <input type="hidden" name="user_id" value="${user.id}" />
    ${button('Remove')}
  </form>`;

function memberPart({ group, members, url }: Shown, mayChange: boolean, now: Date, refused?: RefusedForm): Html {
  const editable = mayChange && !group.isSystem;
  const mine = refusedIn(refused, 'userGroupMemberAddForm');
  return section(
    'Members',
    group.isSystem ? 'They follow from the accounts of the instance.' : undefined,
    html`${formError(refused, 'userGroupMemberRemoveForm')}
    ${
      editable &&
      html`${formError(mine, 'userGroupMemberAddForm', 'username')}
        <form class="form row" method="post" action="${groupPath(group)}/add">
          ${field({ label: 'Username', name: 'username', required: true, autocomplete: 'off', refused: mine })}
          ${button('Add member')}
        </form>`
    }
    ${
      members.items.length === 0
        ? empty('The group has no members')
        : table(
            ['User', 'Since', ...(editable ? [''] : [])],
            members.items.map((member) => [
              html`<a class="person" href="/-/admin/users/${member.user.id}"
                  >${avatar(member.user.username)} <bdi>${member.user.username}</bdi></a
                >
                <span class="muted"><bdi>${member.user.displayName}</bdi></span>`,
              time(member.addedAt, now),
              ...(editable ? [removal(group, member)] : []),
            ]),
          )
    }
    ${pagination(urlWith(url, { done: undefined }), members)}`,
  );
}

const groupDeletion = (group: CountedGroup, refused: RefusedForm | undefined): Html =>
  typedDeletion({
    form: 'userGroupDeleteForm',
    action: `${groupPath(group)}/delete`,
    noun: 'group',
    about: 'The members stay users. The budgets of the group are deleted.',
    typed: 'the short name of the group',
    refused,
  });

export function groupView(shown: Shown, call: Call<User>, refused: RefusedForm | undefined): Html {
  const { group } = shown;
  const mayChange = call.caller.isAdmin || group.role !== 'instance_admin';
  const mine = refusedIn(refused, 'userGroupUpdateForm');
  return html`<p class="quiet"><a href="${groupsPath}">User groups</a></p>
    <h1><bdi>${group.name}</bdi> ${group.isSystem && pill('built in')}</h1>
    ${shown.saved && done('The group is saved.')}
    ${
      mayChange
        ? section(
            'Group',
            html`Short name <code>${group.slug}</code>`,
            html`${formError(mine, 'userGroupUpdateForm', 'name', 'description', 'role', 'grant_admin')}
              <form class="form" method="post" action="${groupPath(group)}/edit">
                ${shownValues({ name: group.name, description: group.description, role: group.role }, mine)}
                ${groupFields(call, mine, group)} ${button('Save', { kind: 'primary' })}
              </form>`,
          )
        : html`<p>Only an instance administrator may change this group.</p>`
    }
    ${memberPart(shown, mayChange, call.now, refused)} ${mayChange && !group.isSystem && groupDeletion(group, refused)}`;
}
