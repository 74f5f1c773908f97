// Views of grants of admin scopes.
import type { AdminScopeGrant } from 'hexforge/administration';
import type { PublicUser } from 'hexforge/identity';
import {
  adminScopes,
  html,
  type AdminScope,
  type Call,
  type Html,
  type Page,
  type RefusedForm,
  type User,
} from 'hexforge/plugin';
import {
  avatar,
  button,
  empty,
  field,
  filterBar,
  filterChoice,
  formError,
  group,
  pagination,
  searchField,
  select,
  table,
  time,
} from 'hexforge/ui';

export const scopesPath = '/-/admin/admin-scopes';

const titles: Readonly<Record<AdminScope, string>> = {
  'admin:users': 'users and user groups',
  'admin:impersonation': 'acting as another user, with admin:users',
  'admin:settings': 'settings of the instance',
  'admin:system': 'health and logs',
  'admin:roles': 'admin scopes of others',
  'admin:runners': 'runners',
  'admin:rate_limit': 'rate limits',
  'admin:audit_read': 'health of the access log',
  'admin:oauth2': 'applications of all users',
  'admin:repo_transfer': 'transfer of repositories',
  'admin:repo_roles': 'roles in all repositories',
};
const choice = (scope: AdminScope) => ({ value: scope, label: `${scope} – ${titles[scope]}` });

interface Shown {
  readonly grants: Page<AdminScopeGrant>;
  readonly users: ReadonlyMap<string, PublicUser>;
  readonly scope: string;
  readonly username: string;
  readonly url: string;
}

const name = (users: Shown['users'], id: string): Html =>
  html`<bdi>${users.get(id)?.username ?? 'a deleted user'}</bdi>`;

const revocation = ({ userId, scope }: AdminScopeGrant): Html =>
  html`<form method="post" action="${scopesPath}/revoke">
    <input type="hidden" name="user_id" value="${userId}" /><input type="hidden" name="scope" value="${scope}" />
    ${button('Revoke')}
  </form>`;

export const grantsView = (
  { grants, users, scope, username, url }: Shown,
  { caller, now }: Call<User>,
  refused: RefusedForm | undefined,
): Html =>
  html`<h1>Admin scopes <span class="count">${String(grants.total)}</span></h1>
    <p class="muted">An admin scope lets a user administer one area, without being an instance administrator.</p>
    ${filterBar(
      scopesPath,
      html`${searchField('Username', 'user', username)}
      ${filterChoice('Scope', 'scope', scope, [{ value: '', label: 'Every scope' }, ...adminScopes.map(choice)])}`,
    )}
    ${formError(refused, 'adminScopeRevokeForm')}
    ${
      grants.items.length === 0
        ? empty(scope + username === '' ? 'Nobody holds an admin scope' : 'No grant matches')
        : table(
            ['User', 'Scope', 'Granted', ''],
            grants.items.map((grant) => [
              html`${avatar(users.get(grant.userId)?.username ?? '?')} ${name(users, grant.userId)}`,
              html`${grant.scope} <span class="muted">${titles[grant.scope]}</span>`,
              html`${time(grant.createdAt, now)} by ${name(users, grant.grantedBy)}`,
              revocation(grant),
            ]),
          )
    }
    ${pagination(url, grants)}
    ${group(
      'Grant a scope',
      caller.isAdmin ? undefined : 'Only an instance administrator grants admin:roles.',
      html`${formError(refused, 'adminScopeGrantForm', 'username')}
        <form class="form" method="post" action="${scopesPath}/grant">
          ${field({ label: 'Username', name: 'username', required: true, autocomplete: 'off', refused })}
          ${select({
            label: 'Admin scope',
            name: 'scope',
            choices: adminScopes.filter((one) => caller.isAdmin || one !== 'admin:roles').map(choice),
            refused,
          })}
          ${button('Grant', { kind: 'primary' })}
        </form>`,
    )}`;
