// The JSON shapes of the caller's own account and of public profiles.
import { profileLimits, type Account } from 'hexforge/identity';
import { flag, maybe, oneOf, presenter, shape, text, time, uuid, word } from 'hexforge/plugin';
import { accountType, password, typed } from '../accounts/schemas.ts';

/** An account as its owner sees it. */
export const userJson = shape({
  id: uuid(),
  username: word(),
  email: word(),
  display_name: text(),
  bio: text(),
  avatar_url: text(),
  is_admin: flag(),
  approval_state: maybe(oneOf('pending', 'approved', 'rejected')),
  created_at: time(),
}).id('User');
export const presentUser = presenter(userJson, { approval_state: 'approval' });

export const publicProfileJson = shape({
  id: uuid(),
  username: word(),
  type: accountType,
  display_name: text(),
  bio: text(),
  avatar_url: text(),
  created_at: time(),
}).id('PublicProfile');
const presentProfile = presenter(publicProfileJson);
export const presentPublicProfile = (account: Account) => presentProfile(typed(account));

export const profileBody = shape({
  display_name: maybe(text().max(profileLimits.displayName)),
  bio: maybe(text().max(profileLimits.bio)),
  avatar_url: maybe(text().max(profileLimits.avatarUrl)),
  email: maybe(word().max(profileLimits.email)),
}).id('ProfileChange');

export const passwordChangeBody = shape({
  current_password: maybe(password().description('Required, unless the account has no password')),
  new_password: password(),
}).id('PasswordChange');
