// The shapes of bodies, queries and parameters of the accounts' operations.
import { passwordLength, profileLimits, tokenNameLimit, usernameLimit } from 'hexforge/identity';
import { Joi, object, parseInstant } from 'hexforge/plugin';

const text = () => Joi.string().allow('');
const instant = () => Joi.string().isoDate();
/** In any case, as RFC 9562 has it; lower case from here on. */
const uuid = () =>
  Joi.string()
    .lowercase()
    .pattern(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/, 'uuid');
/** Longer ones are refused by the rule of the core, which counts characters; this bounds the bytes. */
const password = () =>
  Joi.string()
    .max(4 * passwordLength.max)
    .description(`${passwordLength.min} to ${passwordLength.max} characters`);

/** Document D, "User object". */
export interface UserBody {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly display_name: string;
  readonly bio: string;
  readonly avatar_url: string;
  readonly is_admin: boolean;
  readonly approval_state?: 'pending' | 'approved' | 'rejected';
  readonly created_at: string;
}

export const userBody = object<UserBody>({
  id: uuid().required(),
  username: Joi.string().required(),
  email: Joi.string().required(),
  display_name: text().required(),
  bio: text().required(),
  avatar_url: text().required(),
  is_admin: Joi.boolean().required(),
  approval_state: Joi.string().valid('pending', 'approved', 'rejected'),
  created_at: instant().required(),
}).id('User');

export interface PublicProfileBody {
  readonly id: string;
  readonly username: string;
  readonly display_name: string;
  readonly bio: string;
  readonly avatar_url: string;
  readonly created_at: string;
}

export const publicProfileBody = object<PublicProfileBody>({
  id: uuid().required(),
  username: Joi.string().required(),
  display_name: text().required(),
  bio: text().required(),
  avatar_url: text().required(),
  created_at: instant().required(),
}).id('PublicProfile');

export interface LoginBody {
  readonly username: string;
  readonly password: string;
}

export const loginBody = object<LoginBody>({
  username: Joi.string().max(256).required(),
  password: password().required(),
}).id('Login');

export interface SessionBody {
  readonly access_token: string;
  readonly user: UserBody;
}

export const sessionBody = object<SessionBody>({
  access_token: Joi.string().required().description('JWT'),
  user: userBody.required(),
}).id('Session');

export interface RegistrationBody {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly display_name?: string;
}

export const registrationBody = object<RegistrationBody>({
  username: Joi.string().max(usernameLimit).required(),
  email: Joi.string().max(profileLimits.email).required(),
  password: password().required(),
  display_name: text().max(profileLimits.displayName),
})
  .options({ stripUnknown: true })
  .id('Registration');

export interface ProfileBody {
  readonly display_name?: string;
  readonly bio?: string;
  readonly avatar_url?: string;
  readonly email?: string;
}

export const profileBody = object<ProfileBody>({
  display_name: text().max(profileLimits.displayName),
  bio: text().max(profileLimits.bio),
  avatar_url: text().max(profileLimits.avatarUrl),
  email: Joi.string().max(profileLimits.email),
}).id('ProfileChange');

export interface PasswordChangeBody {
  readonly current_password: string;
  readonly new_password: string;
}

export const passwordChangeBody = object<PasswordChangeBody>({
  current_password: password().required(),
  new_password: password().required(),
}).id('PasswordChange');

export interface UsernameParams {
  readonly username: string;
}

export const usernameParams = object<UsernameParams>({ username: Joi.string().required() });

export interface TokenBody {
  readonly id: string;
  readonly name: string;
  readonly scopes: string[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

const tokenMembers = {
  id: uuid().required(),
  name: Joi.string().required(),
  scopes: Joi.array().items(Joi.string()).required(),
  created_at: instant().required(),
  expires_at: instant().allow(null).required(),
  last_used_at: instant().allow(null).required(),
};

export const tokenBody = object<TokenBody>(tokenMembers).id('Token');

export interface CreatedTokenBody extends TokenBody {
  readonly token: string;
}

export const createdTokenBody = object<CreatedTokenBody>({
  ...tokenMembers,
  token: Joi.string().required().description('Shown in this answer alone'),
}).id('CreatedToken');

export interface TokenPageBody {
  readonly items: TokenBody[];
  readonly total: number;
  readonly page: number;
  readonly per_page: number;
}

export const tokenPageBody = object<TokenPageBody>({
  items: Joi.array().items(tokenBody).required(),
  total: Joi.number().integer().required(),
  page: Joi.number().integer().required(),
  per_page: Joi.number().integer().required(),
}).id('TokenPage');

export interface NewTokenBody {
  readonly name: string;
  readonly scopes: string[];
  readonly expires_at?: string | null;
}

export const newTokenBody = object<NewTokenBody>({
  name: Joi.string().max(tokenNameLimit).required(),
  scopes: Joi.array().items(Joi.string().max(64)).max(100).required(),
  expires_at: Joi.string()
    .custom((value: string, helpers) => (parseInstant(value) === undefined ? helpers.error('string.isoDate') : value))
    .allow(null)
    .description('RFC 3339, to the year 9999 in UTC; null or absent: never'),
}).id('NewToken');

export interface IdParams {
  readonly id: string;
}

export const idParams = object<IdParams>({ id: uuid().required() });

export interface PageQuery {
  readonly page?: string;
  readonly per_page?: string;
}

const number = (meaning: string) => text().description(meaning);

export const pageQuery = object<PageQuery>({
  page: number('1-based; default 1'),
  per_page: number('1 to 100; default 25'),
});

/** Document C, "User record (admin)". */
export interface AdminUserBody {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly display_name: string;
  readonly is_admin: boolean;
  readonly status: 'active' | 'suspended';
  readonly created_at: string;
  readonly last_active_at: string | null;
}

export const adminUserBody = object<AdminUserBody>({
  id: uuid().required(),
  username: Joi.string().required(),
  email: Joi.string().required(),
  display_name: text().required(),
  is_admin: Joi.boolean().required(),
  status: Joi.string().valid('active', 'suspended').required(),
  created_at: instant().required(),
  last_active_at: instant().allow(null).required(),
}).id('AdminUser');

export interface AdminUserListBody {
  readonly users: AdminUserBody[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

export const adminUserListBody = object<AdminUserListBody>({
  users: Joi.array().items(adminUserBody).required(),
  total: Joi.number().integer().required(),
  limit: Joi.number().integer().required(),
  offset: Joi.number().integer().required(),
}).id('AdminUserList');

export interface AdminUserQuery extends PageQuery {
  readonly q?: string;
  readonly limit?: string;
  readonly offset?: string;
}

export const adminUserQuery = object<AdminUserQuery>({
  q: text().max(256).description('Part of a username, e-mail address or display name, in any case'),
  page: number('1-based; default 1'),
  per_page: number('1 to 500, anything else is 500; default 50'),
  limit: number('Takes precedence over per_page'),
  offset: number('Takes precedence over page'),
});

export interface NewUserBody extends RegistrationBody {
  readonly is_admin?: boolean;
}

export const newUserBody = object<NewUserBody>({
  username: Joi.string().max(usernameLimit).required(),
  email: Joi.string().max(profileLimits.email).required(),
  password: password().required(),
  display_name: text().max(profileLimits.displayName),
  is_admin: Joi.boolean().strict(),
}).id('NewUser');

export interface UserChangeBody {
  readonly email?: string;
  readonly display_name?: string;
  readonly is_admin?: boolean;
  readonly is_active?: boolean;
  readonly status?: 'active' | 'suspended';
}

export const userChangeBody = object<UserChangeBody>({
  email: Joi.string().max(profileLimits.email),
  display_name: text().max(profileLimits.displayName),
  is_admin: Joi.boolean().strict(),
  is_active: Joi.boolean().strict().description('An alternative to status'),
  status: Joi.string().valid('active', 'suspended'),
})
  .oxor('is_active', 'status')
  .id('UserChange');

export interface NewPasswordBody {
  readonly password: string;
}

export const newPasswordBody = object<NewPasswordBody>({ password: password().required() }).id('NewPassword');

export interface UidParams {
  readonly uid: string;
}

export const uidParams = object<UidParams>({ uid: uuid().required() });

/** Document C: the 409 of a deletion carries error and reason. */
export const deletionErrorMembers = object<{ readonly reason?: string }>({
  reason: Joi.string().description('Why the user cannot be deleted'),
});
