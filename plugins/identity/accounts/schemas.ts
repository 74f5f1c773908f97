// The JSON shapes of /admin/users, and the members that every request for a new account has.
import { isBotName, passwordLength, profileLimits, usernameLimit, type Account } from 'hexforge/identity';
import {
  count,
  flag,
  list,
  maybe,
  oneOf,
  orNull,
  pageQuery,
  presenter,
  shape,
  text,
  time,
  uuid,
  word,
  type TypeOf,
} from 'hexforge/plugin';

/** Bounds the bytes of a password. Its length in characters is checked by core. */
/** The member of `shownValues` in a form. */
export const shown = maybe(word().max(2000));

export const password = () =>
  word()
    .max(4 * passwordLength.max)
    .description(`${passwordLength.min} to ${passwordLength.max} characters`);

export const newAccountMembers = {
  username: word().max(usernameLimit),
  email: word().max(profileLimits.email),
  password: password(),
  display_name: maybe(text().max(profileLimits.displayName)),
} as const;

/** The member `type` of an account. The accounts of people have none. */
export const accountType = maybe(oneOf('Bot').description('Present only for the account of a plugin'));
/** Adds the `type` of an account. */
export const typed = <A extends Pick<Account, 'username'>>(account: A) => ({
  ...account,
  type: isBotName(account.username) ? ('Bot' as const) : undefined,
});

/** An account as administrators see it. */
export const adminUserJson = shape({
  id: uuid(),
  username: word(),
  email: word(),
  display_name: text(),
  is_admin: flag(),
  type: accountType,
  status: oneOf('active', 'suspended'),
  created_at: time(),
  last_active_at: orNull(time()),
}).id('AdminUser');
const presentAccount = presenter(adminUserJson);
export const presentAdminUser = (account: Account) =>
  presentAccount({ ...typed(account), lastActiveAt: account.lastActiveAt ?? null });

export const adminUserListJson = shape({
  users: list(adminUserJson),
  total: count(),
  limit: count(),
  offset: count(),
}).id('AdminUserList');

export const adminUserQuery = shape({
  q: maybe(text().max(256).description('Part of a username, e-mail address or display name, in any case')),
  status: maybe(oneOf('active', 'suspended').empty('')),
  is_admin: maybe(flag().empty('')),
  page: pageQuery.page,
  per_page: maybe(text().description('1 to 500, anything else is 500; default 50')),
  limit: maybe(text().description('Takes precedence over per_page')),
  offset: maybe(text().description('Takes precedence over page')),
});
export type AdminUserQuery = TypeOf<typeof adminUserQuery>;

export const newUserBody = shape({ ...newAccountMembers, is_admin: maybe(flag().strict()) }).id('NewUser');

export const userChangeBody = shape({
  email: maybe(word().max(profileLimits.email)),
  display_name: maybe(text().max(profileLimits.displayName)),
  is_admin: maybe(flag().strict()),
  is_active: maybe(flag().strict().description('An alternative to status')),
  status: maybe(oneOf('active', 'suspended')),
})
  .oxor('is_active', 'status')
  .id('UserChange');
export type UserChangeBody = TypeOf<typeof userChangeBody>;

export const newPasswordBody = shape({ password: password() }).id('NewPassword');

export const uidParams = shape({ uid: uuid() });

/** The 409 of `adminUserDelete` has a `reason` in addition to `error`. */
export const deletionErrorMembers = shape({ reason: maybe(word().description('Why the user cannot be deleted')) });
