// The page on which users link and unlink the identities that sign in to their account.
import {
  form,
  html,
  HtmlPage,
  maybe,
  page,
  reply,
  session,
  shape,
  word,
  type Html,
  type RefusedForm,
  type WebPage,
} from 'hexforge/plugin';
import type { ExternalIdentity, ListedProvider } from 'hexforge/identity';
import { button, confirmButton, done, empty, field, formError, list, notice, time } from 'hexforge/ui';
import { signInRefusal, type IdentityUseCases } from '#core/identity/use-cases';
import { password } from '../accounts/schemas.ts';
import { keptFlows, startedFlows } from './browser-steps.ts';

const guarded = { access: session, scope: null } as const;
const path = '/-/settings/identities';

/** Leads the browser to a provider. It is not a redirect, because forms may only lead to this instance. */
export const leaving = (url: string, name: string): HtmlPage =>
  new HtmlPage({
    title: 'Going on',
    main: html`<h1>Going on to ${name}</h1>
      <p><a href="${url}">Go on</a></p>`,
  });

/** The headers that make a browser follow the link of `leaving`. */
export const leavingTo = (url: string) => ({ refresh: `0; url=${url}`, 'referrer-policy': 'no-referrer' });

const nameOf = (providers: readonly ListedProvider[], id: string): string =>
  providers.find((provider) => provider.id === id)?.displayName ?? id;

const row = (identity: ExternalIdentity, providers: readonly ListedProvider[], now: Date) => ({
  title: html`<bdi>${nameOf(providers, identity.provider)}</bdi>`,
  about: html`<bdi>${identity.hint}</bdi> · linked ${time(identity.createdAt, now)}`,
  end: confirmButton('Unlink…', {
    action: `${path}/${identity.id}/unlink`,
    about: 'It can no longer sign in to your account.',
    confirm: 'Unlink',
  }),
});

const linkPath = (id: string): string => `${path}/${id}/link`;

/** The form that links a user of a provider to which the browser is sent. */
const redirectForm = ({ id, displayName }: ListedProvider): Html =>
  html`<form method="post" action="${linkPath(id)}">${button(`Link ${displayName}`)}</form>`;

/** The form that links a user of a directory. */
const directoryForm = ({ id, displayName }: ListedProvider, refused: RefusedForm | undefined): Html =>
  html`<form class="settings" method="post" action="${linkPath(id)}">
    ${field({ label: `Username of ${displayName}`, name: 'username', autocomplete: 'off', required: true, refused })}
    ${field({
      label: `Password of ${displayName}`,
      name: 'password',
      type: 'password',
      autocomplete: 'off',
      required: true,
      refused,
    })}
    ${button(`Link ${displayName}`)}
  </form>`;

const refusalOf = (code: string | undefined): Html | undefined => {
  const refusal = code === undefined ? undefined : signInRefusal(code);
  return refusal && notice(html`<b>${refusal.message}.</b> ${refusal.detail}.`, true);
};

export const identityPages = ({ identities, redirects }: IdentityUseCases): readonly WebPage[] => [
  page({
    ...guarded,
    id: 'settingsIdentities',
    summary: 'The external identities of the caller',
    path: '/settings/identities',
    query: shape({ done: maybe(word().empty('').max(16)), error: maybe(word().empty('').max(64)) }),
    async run(call, { query, refused }) {
      const [{ hasPassword, identities: linked }, providers] = await Promise.all([
        identities.waysIn(call),
        redirects.providers(),
      ]);
      const byKind = (kind: ListedProvider['kind']) => providers.filter((provider) => provider.kind === kind);
      return new HtmlPage({
        title: 'Sign-in providers',
        width: 'wide',
        main: html`<h1>Sign-in providers</h1>
          ${query.done !== undefined && done('The identity is linked.')} ${refusalOf(query.error)}
          ${formError(refused, 'settingsIdentityUnlink')} ${formError(refused, 'settingsIdentityLink')}
          ${
            linked.length === 0
              ? empty('No identity is linked', html`<p>You sign in with the password of your account.</p>`)
              : html`<p class="muted">
                    You sign in to your account with the identities below${hasPassword ? ', or with its password' : ''}.
                  </p>
                  ${list(linked.map((one) => row(one, providers, call.now)))}`
          }
          ${
            !hasPassword &&
            html`<p class="muted">
              Your account has no password. <a href="/-/settings/password">Set one</a> within 10 minutes of a sign-in.
            </p>`
          }
          ${
            providers.length > 0 &&
            html`<h2 class="part">${linked.length === 0 ? 'Link an identity' : 'Link another identity'}</h2>`
          }
          <div class="actions">${byKind('redirect').map(redirectForm)}</div>
          ${byKind('password').map((directory) => directoryForm(directory, refused))}`,
      });
    },
    forms: [
      form({
        ...guarded,
        id: 'settingsIdentityLink',
        summary: 'Links an identity of a provider',
        path: '/settings/identities/{provider}/link',
        body: shape({ username: maybe(word().max(256)), password: maybe(password()) }),
        secrets: ['password'],
        async run(call, { params: { provider }, body: { username = '', password: secret = '' }, header }) {
          if (identities.isDirectory(provider)) {
            await identities.linkByPassword(call, { provider, username, password: secret });
            return `${path}?done=linked`;
          }
          const { redirectUrl, flows } = await redirects.startLink(call, {
            provider,
            cookie: startedFlows(header('cookie')),
          });
          return reply(leaving(redirectUrl, nameOf(await redirects.providers(), provider)), {
            headers: leavingTo(redirectUrl),
            cookies: [keptFlows(flows)],
          });
        },
      }),
      form({
        ...guarded,
        id: 'settingsIdentityUnlink',
        summary: 'Unlinks an identity',
        path: '/settings/identities/{id}/unlink',
        body: shape({}),
        async run(call, { params }) {
          await identities.unlink(call, params);
          return path;
        },
      }),
    ],
  }),
];
