// Views of accounts for administrators: the list, the form for a new account, and one account.
import { isBotName, passwordLength, type Account, type UserGroup } from 'hexforge/identity';
import { html, type Call, type Forbidden, type Html, type Page, type RefusedForm, type User } from 'hexforge/plugin';
import {
  avatar,
  button,
  checkBox,
  confirmButton,
  done,
  empty,
  field,
  filterBar,
  filterChoice,
  formError,
  group,
  linkButton,
  pagination,
  pill,
  refusedIn,
  searchField,
  shownValues,
  table,
  time,
  typedDeletion,
} from 'hexforge/ui';

export const usersPath = '/-/admin/users';
export const userPath = ({ id }: Pick<Account, 'id'>): string => `${usersPath}/${id}`;

const bounds = `${passwordLength.min} to ${passwordLength.max} characters`;

const states = [
  { value: '', label: 'Every state' },
  { value: 'active', label: 'Active' },
  { value: 'suspended', label: 'Suspended' },
];
const roles = [
  { value: '', label: 'Every role' },
  { value: 'true', label: 'Administrators' },
  { value: 'false', label: 'Others' },
];

const statePill = ({ status }: Account): Html =>
  status === 'active' ? pill('active', 'good') : pill('suspended', 'bad');
const rolePill = ({ isAdmin, username }: Account): Html | false =>
  isAdmin ? pill('administrator', 'accent') : isBotName(username) && pill('bot');

const seen = ({ lastActiveAt }: Account, now: Date): Html | false =>
  lastActiveAt === undefined ? html`<span class="muted">never</span>` : time(lastActiveAt, now);

interface Filters {
  readonly q: string;
  readonly status: string;
  readonly role: string;
}

export const accountList = ({ items, ...page }: Page<Account>, { q, status, role }: Filters, url: string, now: Date) =>
  html`<h1>Users <span class="count">${String(page.total)}</span></h1>
    ${filterBar(
      usersPath,
      html`${searchField('Name or e-mail address', 'q', q)} ${filterChoice('State', 'status', status, states)}
      ${filterChoice('Role', 'is_admin', role, roles)}`,
      linkButton('New user', `${usersPath}/new`, { kind: 'primary' }),
    )}
    ${
      items.length === 0
        ? empty('No user matches', html`<a href="${usersPath}">Show all</a>`)
        : table(
            ['User', 'E-mail address', 'State', 'Role', 'Last seen'],
            items.map((account) => [
              html`<a class="person" href="${userPath(account)}"
                  >${avatar(account.username)} <bdi>${account.username}</bdi></a
                >
                <span class="muted"><bdi>${account.displayName}</bdi></span>`,
              html`<bdi>${account.email}</bdi>`,
              statePill(account),
              rolePill(account),
              seen(account, now),
            ]),
          )
    }
    ${pagination(url, page)}`;

export const newAccount = ({ caller }: Call<User>, refused: RefusedForm | undefined): Html =>
  html`<h1>New user</h1>
    ${formError(refused, 'adminUserCreateForm', 'username', 'email', 'password', 'display_name')}
    <form class="form" method="post" action="${usersPath}/new">
      ${field({ label: 'Username', name: 'username', required: true, autocomplete: 'off', refused })}
      ${field({ label: 'E-mail address', name: 'email', type: 'email', required: true, autocomplete: 'off', refused })}
      ${field({ label: 'Display name', name: 'display_name', autocomplete: 'off', refused })}
      ${field({
        label: 'Password',
        name: 'password',
        type: 'password',
        required: true,
        autocomplete: 'new-password',
        hint: `${bounds}; the user can change it`,
        refused,
      })}
      ${
        caller.isAdmin &&
        checkBox({
          label: 'Instance administrator',
          name: 'is_admin',
          hint: 'May do everything on this instance',
          refused,
        })
      }
      <div class="actions">${button('Create', { kind: 'primary' })} <a href="${usersPath}">Cancel</a></div>
    </form>`;

interface Shown {
  readonly account: Account;
  /** Why the caller may not change it. */
  readonly refusal: Forbidden | undefined;
  readonly groups: readonly UserGroup[];
  /** The message about the form that led here. */
  readonly told: string | undefined;
}

/** A button that sends one value, and cannot harm. */
const press = (account: Account, label: string, name: string, value: string): Html =>
  html`<form method="post" action="${userPath(account)}/state">${button(label, { name, value })}</form>`;

const profileForm = (account: Account, refused: RefusedForm | undefined): Html => {
  const mine = refusedIn(refused, 'adminUserProfileForm');
  return html`${formError(mine, 'adminUserProfileForm', 'email', 'display_name')}
    <form class="form" method="post" action="${userPath(account)}/profile">
      ${shownValues({ email: account.email, displayName: account.displayName }, mine)}
      ${field({ label: 'Display name', name: 'display_name', value: account.displayName, refused: mine })}
      ${
        !isBotName(account.username) &&
        html`${field({
          label: 'E-mail address',
          name: 'email',
          type: 'email',
          value: account.email,
          required: true,
          hint: 'An address that you set counts as verified',
          refused: mine,
        })}`
      }
      ${button('Save', { kind: 'primary' })}
    </form>`;
};

const passwordForm = (account: Account, refused: RefusedForm | undefined): Html => {
  const mine = refusedIn(refused, 'adminUserPasswordForm');
  return html`${formError(mine, 'adminUserPasswordForm', 'password')}
    <form class="form" method="post" action="${userPath(account)}/password">
      ${field({
        label: 'New password',
        name: 'password',
        type: 'password',
        required: true,
        autocomplete: 'new-password',
        hint: bounds,
        refused: mine,
      })}
      ${button('Set password')}
    </form>`;
};

function changes({ account }: Shown, { caller }: Call<User>, refused: RefusedForm | undefined): Html {
  const isBot = isBotName(account.username);
  const own = account.id === caller.id;
  return html`${group('Profile', undefined, profileForm(account, refused))}
  ${
    !isBot &&
    !account.emailVerified &&
    group(
      'Address',
      html`<bdi>${account.email}</bdi> is not verified.`,
      html`<form method="post" action="${userPath(account)}/verify">
        <input type="hidden" name="email" value="${account.email}" />${button('Mark as verified')}
      </form>`,
    )
  }
  ${
    caller.isAdmin &&
    !isBot &&
    group(
      'Administration',
      account.isAdmin
        ? 'This user is an instance administrator, who may do everything on this instance.'
        : 'An instance administrator may do everything on this instance.',
      account.isAdmin
        ? press(account, 'Make an ordinary user', 'is_admin', 'false')
        : confirmButton('Make an instance administrator', {
            action: `${userPath(account)}/state`,
            fields: { is_admin: 'true' },
            about: 'They will see and change everything, and can make others administrators.',
            confirm: `Make ${account.username} an instance administrator`,
          }),
    )
  }
  ${
    !isBot &&
    group(
      'Password',
      own ? undefined : 'Setting it ends the sessions of the user.',
      own ? html`<p>You change your own password in your settings.</p>` : passwordForm(account, refused),
    )
  }
  ${group('Access', account.status === 'active' ? undefined : 'The user cannot sign in.', accessForms(account))}
  ${
    !own &&
    typedDeletion({
      form: 'adminUserDeleteForm',
      action: `${userPath(account)}/delete`,
      noun: 'user',
      about:
        'A user who owns repositories, or whose contributions others refer to, cannot be deleted. Sessions and tokens end in any case.',
      typed: 'the username',
      refused,
    })
  }`;
}

/** Forms that decide whether the user can sign in, and end what is signed in. */
const accessForms = (account: Account): Html =>
  html`<div class="actions">
    ${
      account.status === 'active'
        ? confirmButton('Suspend…', {
            action: `${userPath(account)}/state`,
            fields: { status: 'suspended' },
            about: 'Every session and token ends for good. The user cannot sign in until they are reactivated.',
            confirm: `Suspend ${account.username}`,
          })
        : press(account, 'Reactivate', 'status', 'active')
    }
    ${confirmButton('End all sessions and tokens…', {
      action: `${userPath(account)}/revoke`,
      about: 'Programs that use a token of the user lose their access. The user can sign in again.',
      confirm: 'End all',
    })}
  </div>`;

/** The forms whose refusals are shown above the page, because they have no field. */
const formsWithoutFields = ['adminUserStateForm', 'adminUserVerifyForm', 'adminUserRevokeForm'];

export const accountView = (shown: Shown, call: Call<User>, refused: RefusedForm | undefined): Html => {
  const { account, refusal, told } = shown;
  return html`<p class="quiet"><a href="${usersPath}">Users</a></p>
    <h1>
      ${avatar(account.username, 'large')} <bdi>${account.username}</bdi> ${statePill(account)} ${rolePill(account)}
    </h1>
    ${told !== undefined && done(told)} ${formsWithoutFields.map((form) => formError(refused, form))}
    ${
      refusal === undefined
        ? changes(shown, call, refused)
        : html`<p>You may see this account, and not change it. ${refusal.message}.</p>
            ${refusal.detail !== undefined && html`<p class="muted">${refusal.detail}</p>`}`
    }`;
};

export const accountAside = ({ account, groups }: Shown, now: Date): Html =>
  html`<section>
      <h2>Account</h2>
      <p><a href="/${account.username}">Public page</a></p>
      <p>Created ${time(account.createdAt, now)}</p>
      <p>Last seen ${seen(account, now)}</p>
      <p class="quiet">Id <code>${account.id}</code></p>
    </section>
    <section>
      <h2>Groups</h2>
      ${groups.map(
        ({ id, name }) =>
          html`<p>
            <a href="/-/admin/user-groups/${id}"><bdi>${name}</bdi></a>
          </p>`,
      )}
    </section>`;
