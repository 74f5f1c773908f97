// The JSON shapes of user groups.
import { groupLimits, groupRoles, type GroupMember } from 'hexforge/identity';
import { count, flag, list, maybe, oneOf, presenter, shape, text, time, uuid, word } from 'hexforge/plugin';

const name = () => word().max(groupLimits.name).description('With a letter or digit; the slug is made from it');
const optionalMembers = {
  description: maybe(text().max(groupLimits.description)),
  role: maybe(text().max(50).description(groupRoles.join(' or '))),
  grant_admin: maybe(flag().strict().description('Must be true where role is instance_admin')),
} as const;

export const groupBody = shape({ name: name(), ...optionalMembers }).id('UserGroupCreate');
export const groupChangeBody = shape({ name: maybe(name()), ...optionalMembers }).id('UserGroupUpdate');

export const groupJson = shape({
  id: uuid(),
  slug: word(),
  name: word(),
  description: text(),
  role: oneOf(...groupRoles),
  is_system: flag(),
  member_count: count(),
  created_at: time(),
  updated_at: time(),
}).id('UserGroup');
export const groupListJson = shape({ groups: list(groupJson), total: count() }).id('UserGroupList');

export const memberJson = shape({
  id: uuid(),
  username: word(),
  display_name: text(),
  avatar_url: text(),
  added_at: time(),
}).id('UserGroupMember');
export const memberListJson = shape({ members: list(memberJson), total: count() }).id('UserGroupMemberList');
export const memberBody = shape({ user_id: uuid() }).id('UserGroupMemberAdd');
export const memberQuery = shape({
  limit: maybe(text().description('1 to 500, anything else is 500; default 100')),
  offset: maybe(text().description('Default 0')),
});
export const memberParams = shape({ id: uuid(), uid: uuid() });

export const presentGroup = presenter(groupJson);

const presentAdded = presenter(memberJson);
export const presentMember = ({ user, addedAt }: GroupMember) => presentAdded({ ...user, addedAt });
