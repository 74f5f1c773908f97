// The pages of personal access tokens. A new token is shown once, in the answer to its form.
import {
  day,
  form,
  html,
  HtmlPage,
  list as listOf,
  maybe,
  page,
  pageQuery,
  pageRules,
  readPage,
  session,
  shape,
  word,
  type Html,
  type WebPage,
} from 'hexforge/plugin';
import { tokenNameLimit, type AccessToken } from 'hexforge/identity';
import {
  button,
  confirmButton,
  copyField,
  empty,
  field,
  formError,
  linkButton,
  list,
  pagination,
  picks,
  pill,
  time,
} from 'hexforge/ui';
import type { DescribedScope, IdentityUseCases } from '#core/identity/use-cases';

const guarded = { access: session, scope: null } as const;
const daysByDefault = 30;

/** The scopes in words, with their names. One that is no longer offered has no words. */
function scopeWords(scopes: readonly string[], all: readonly DescribedScope[]): Html {
  const about = new Map(all.map((scope) => [scope.name, scope.about]));
  return html`<ul class="can">
    ${scopes.map((scope) => html`<li>${about.get(scope)} <code>${scope}</code></li>`)}
    ${scopes.length === 0 && html`<li>say who you are, and no more</li>`}
  </ul>`;
}

const until = (expiresAt: Date | undefined, now: Date): Html =>
  expiresAt === undefined
    ? html`never expires`
    : html`${expiresAt <= now ? 'expired' : 'expires'} ${time(expiresAt, now)}`;

interface Shown {
  readonly now: Date;
  readonly scopes: readonly DescribedScope[];
}

const row = ({ id, name, scopes, createdAt, expiresAt, lastUsedAt }: AccessToken, { now, scopes: all }: Shown) => ({
  title: html`<bdi>${name}</bdi> ${expiresAt !== undefined && expiresAt <= now && pill('expired', 'bad')}`,
  about: html`${scopeWords(scopes, all)} created ${time(createdAt, now)} ·
  ${lastUsedAt === undefined ? 'never used' : html`used ${time(lastUsedAt, now)}`} · ${until(expiresAt, now)}`,
  end: confirmButton('Revoke…', {
    action: `/-/settings/tokens/${id}/revoke`,
    about: 'Programs that use it lose their access at once.',
    confirm: 'Revoke the token',
  }),
});

/** @param scopes all that exist. */
const scopePicks = (scopes: readonly DescribedScope[]) =>
  scopes.map(({ name, about }) => ({
    value: name,
    label: name,
    shown: html`<code>${name}</code> <span class="muted">${about}</span>`,
  }));

/** The text of a secret, which cannot be shown again. */
const createdPage = (token: AccessToken, secret: string, { now, scopes }: Shown): HtmlPage =>
  new HtmlPage({
    title: 'New access token',
    width: 'wide',
    main: html`<h1><bdi>${token.name}</bdi></h1>
      <p><b>Copy the token now. It is not shown again.</b></p>
      <div class="settings">${copyField({ id: 'token', label: 'Token', value: secret, hidesLabel: true })}</div>
      ${scopeWords(token.scopes, scopes)}
      <p class="muted">
        It ${until(token.expiresAt, now)}. Programs send it as <code>Authorization: Bearer TOKEN</code>; for git over
        HTTP it is the password.
      </p>
      ${linkButton('Done', '/-/settings/tokens')}`,
  });

export const tokenPages = ({ tokens }: IdentityUseCases): readonly WebPage[] => [
  page({
    ...guarded,
    id: 'settingsTokens',
    summary: 'The personal access tokens of the caller',
    path: '/settings/tokens',
    query: shape(pageQuery),
    async run(call, { query, url, refused }) {
      const found = await tokens.list(call, readPage(pageRules.orDefault(), query));
      const another = linkButton('New token', '/-/settings/tokens/new', { kind: 'primary' });
      return new HtmlPage({
        title: 'Access tokens',
        width: 'wide',
        main: html`<div class="bar">
            <h1 class="grow">Access tokens <span class="count">${String(found.total)}</span></h1>
            ${found.total > 0 && another}
          </div>
          ${formError(refused, 'settingsTokenRevoke')}
          ${
            found.total === 0
              ? empty(
                  'You have no access token',
                  html`<p>Programs and git use one in place of your password.</p>
                    ${another}`,
                )
              : list(found.items.map((token) => row(token, { now: call.now, scopes: tokens.scopes() })))
          }
          ${pagination(url, found)}`,
      });
    },
    forms: [
      form({
        ...guarded,
        id: 'settingsTokenRevoke',
        summary: 'Revokes a personal access token',
        path: '/settings/tokens/{id}/revoke',
        body: shape({}),
        async run(call, { params }) {
          await tokens.revoke(call, params);
          return '/-/settings/tokens';
        },
      }),
    ],
  }),
  page({
    ...guarded,
    id: 'settingsTokenNew',
    summary: 'Asks for the members of a new personal access token',
    path: '/settings/tokens/new',
    run: ({ now }, { refused }) =>
      new HtmlPage({
        title: 'New access token',
        width: 'wide',
        main: html`<h1>New access token</h1>
          ${formError(refused, 'settingsTokenCreate', 'name', 'scopes', 'expires_at')}
          <form class="settings" method="post">
            ${field({
              label: 'Name',
              name: 'name',
              hint: `What it is for, in up to ${tokenNameLimit} characters.`,
              required: true,
              autofocus: true,
              refused,
            })}
            ${field({
              label: 'Expires at the end of',
              name: 'expires_at',
              type: 'date',
              value: new Date(now.getTime() + daysByDefault * 86_400_000).toISOString().slice(0, 10),
              hint: 'A day in UTC. Without one it never expires.',
              refused,
            })}
            ${picks({ label: 'The token can', name: 'scopes', values: [], choices: scopePicks(tokens.scopes()), refused })}
            <p class="hint">Without a scope it only says who you are. No token can do more than you.</p>
            ${button('Create token', { kind: 'primary' })}
          </form>`,
      }),
    forms: [
      form({
        ...guarded,
        id: 'settingsTokenCreate',
        summary: 'Creates a personal access token, and shows it once',
        path: '/settings/tokens/new',
        body: shape({
          name: word(),
          scopes: maybe(listOf(word().max(64)).single().max(100)),
          expires_at: maybe(day()),
        }),
        async run(call, { body: { name, scopes = [], expires_at: expires } }) {
          const expiresAt = expires === undefined ? undefined : new Date(`${expires}T23:59:59Z`);
          const { token, secret } = await tokens.create(call, { name, scopes, expiresAt });
          return createdPage(token, secret, { now: call.now, scopes: tokens.scopes() });
        },
      }),
    ],
  }),
];
