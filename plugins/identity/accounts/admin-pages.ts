// The pages of accounts for administrators.
import { profileLimits } from 'hexforge/identity';
import {
  admin,
  flag,
  form,
  HtmlPage,
  maybe,
  oneOf,
  offsetOf,
  page,
  pageQuery,
  pageRules,
  readPage,
  shape,
  text,
  word,
  type MenuEntry,
  type WebPage,
} from 'hexforge/plugin';
import { checkTyped, onlyChanged } from 'hexforge/ui';
import type { IdentityUseCases } from '#core/identity/use-cases';
import { accountAside, accountList, accountView, newAccount, userPath, usersPath } from './admin-views.ts';
import { newAccountMembers, newPasswordBody, shown, uidParams } from './schemas.ts';

const guarded = { access: admin('admin:users'), scope: 'admin.users' } as const;
const one = '/admin/users/{uid}';

const filters = shape({
  q: text().max(256).default(''),
  status: maybe(oneOf('active', 'suspended').empty('')),
  is_admin: maybe(flag().empty('')),
  ...pageQuery,
});

/** The messages after forms whose effect the page does not show. */
const doneTexts = {
  saved: 'The profile is saved.',
  password: 'The password is set, and the sessions of the user have ended.',
  revoked: 'All sessions and tokens of the user have ended.',
} as const;
type Done = keyof typeof doneTexts;
const doneQuery = shape({ done: maybe(oneOf('saved', 'password', 'revoked').empty('')) });

const doneAt = (account: { readonly id: string }, what: Done): string => `${userPath(account)}?done=${what}`;

const accountForms = ({ administration }: IdentityUseCases) => [
  form({
    ...guarded,
    id: 'adminUserProfileForm',
    summary: 'Changes the profile of an account',
    path: `${one}/profile`,
    body: shape({
      email: maybe(word().max(profileLimits.email)),
      display_name: text().max(profileLimits.displayName).default(''),
      shown,
    }),
    // Sending the address of an account verifies it, so an unchanged one is not sent.
    run: async (call, { params: { uid: id }, body: { email, display_name: displayName, shown: before } }) =>
      doneAt(await administration.update(call, { id, ...onlyChanged({ email, displayName }, before) }), 'saved'),
  }),
  form({
    ...guarded,
    id: 'adminUserVerifyForm',
    summary: 'Marks the e-mail address of an account as verified, if it is the one that was shown',
    path: `${one}/verify`,
    body: shape({ email: word() }),
    run: async (call, { params: { uid: id }, body: { email } }) =>
      userPath(await administration.update(call, { id, email, emailSeen: email })),
  }),
  form({
    ...guarded,
    id: 'adminUserStateForm',
    summary: 'Suspends or reactivates an account, makes an instance administrator or an ordinary user',
    path: `${one}/state`,
    body: shape({ status: maybe(oneOf('active', 'suspended')), is_admin: maybe(flag()) }).xor('status', 'is_admin'),
    run: async (call, { params: { uid: id }, body: { status, is_admin: isAdmin } }) =>
      userPath(await administration.update(call, { id, status, isAdmin })),
  }),
  form({
    ...guarded,
    id: 'adminUserPasswordForm',
    summary: 'Sets the password of an account',
    path: `${one}/password`,
    body: newPasswordBody,
    async run(call, { params: { uid: id }, body: { password } }) {
      await administration.setPassword(call, { id, password });
      return doneAt({ id }, 'password');
    },
  }),
  form({
    ...guarded,
    id: 'adminUserRevokeForm',
    summary: 'Ends every session and token of an account',
    path: `${one}/revoke`,
    body: shape({}),
    async run(call, { params: { uid: id } }) {
      await administration.revokeTokens(call, { id });
      return doneAt({ id }, 'revoked');
    },
  }),
  form({
    ...guarded,
    id: 'adminUserDeleteForm',
    summary: 'Deletes an account',
    path: `${one}/delete`,
    body: shape({ confirm: word() }),
    async run(call, { params: { uid: id }, body }) {
      checkTyped(body.confirm, (await administration.fetch(call, { id })).username, 'user');
      await administration.delete(call, { id });
      return usersPath;
    },
  }),
];

export const adminUserPages = (useCases: IdentityUseCases): readonly WebPage[] => [
  page({
    ...guarded,
    id: 'adminUsersPage',
    summary: 'All accounts, with filters',
    path: '/admin/users',
    query: filters,
    async run(call, { query, url }) {
      const at = readPage(pageRules.orDefault(50), query);
      const { q, status, is_admin: isAdmin } = query;
      const slice = { limit: at.perPage, offset: offsetOf(at) };
      const wanted = { q: q === '' ? undefined : q, status, isAdmin };
      const { accounts: items, total } = await useCases.administration.list(call, { ...wanted, ...slice });
      const shown = { q, status: status ?? '', role: isAdmin === undefined ? '' : String(isAdmin) };
      return new HtmlPage({
        title: 'Users',
        width: 'wide',
        main: accountList({ ...at, items, total }, shown, url, call.now),
      });
    },
  }),
  page({
    ...guarded,
    id: 'adminUserNewPage',
    summary: 'Asks for a new account',
    path: '/admin/users/new',
    run: (call, { refused }) => new HtmlPage({ title: 'New user', width: 'wide', main: newAccount(call, refused) }),
    forms: [
      form({
        ...guarded,
        id: 'adminUserCreateForm',
        summary: 'Creates an account',
        path: '/admin/users/new',
        body: shape({ ...newAccountMembers, is_admin: maybe(flag()) }),
        run: async (call, { body: { display_name: displayName = '', is_admin: isAdmin = false, ...body } }) =>
          userPath(await useCases.administration.create(call, { ...body, displayName, isAdmin })),
      }),
    ],
  }),
  page({
    ...guarded,
    id: 'adminUserPage',
    summary: 'One account',
    path: one,
    params: uidParams,
    query: doneQuery,
    async run(call, { params: { uid: id }, query: { done: what }, refused }) {
      const account = await useCases.administration.fetch(call, { id });
      const [refusal, groups] = await Promise.all([
        useCases.administration.refusal(call, account),
        useCases.groups.ofUser(call, { userId: id }),
      ]);
      const shown = { account, refusal, groups, told: what && doneTexts[what] };
      return new HtmlPage({
        title: account.username,
        width: 'wide',
        main: accountView(shown, call, refused),
        aside: accountAside(shown, call.now),
      });
    },
    forms: accountForms(useCases),
  }),
];

export const adminUserMenu = ({ administration }: IdentityUseCases): MenuEntry => ({
  id: 'adminUsers',
  title: 'Users',
  path: usersPath,
  menu: 'admin',
  access: guarded.access,
  order: 10,
  about: 'Accounts: create, suspend, delete, set passwords',
  count: async (call) => (await administration.list(call, { q: undefined, limit: 1, offset: 0 })).total,
});
