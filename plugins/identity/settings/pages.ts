// The pages on which users change their own account: profile, password and sessions.
import {
  form,
  html,
  HtmlPage,
  maybe,
  page,
  pageQuery,
  pageRules,
  readPage,
  reply,
  session,
  shape,
  word,
  type MenuEntry,
  type WebPage,
} from 'hexforge/plugin';
import { Forbidden, ValidationFailed } from 'hexforge/plugin';
import { passwordLength, profileLimits, type Account } from 'hexforge/identity';
import {
  button,
  done,
  field,
  formError,
  list,
  onlyChanged,
  pagination,
  pill,
  shownValues,
  textArea,
  time,
} from 'hexforge/ui';
import type { IdentityUseCases, ListedSession } from '#core/identity/use-cases';
import { password, shown } from '../accounts/schemas.ts';

const guarded = { access: session, scope: null } as const;

const afterQuery = shape({ done: maybe(word().empty('').max(16)) });

export const settingsMenu = (): readonly MenuEntry[] => [
  {
    id: 'settings-profile',
    title: 'Profile',
    path: '/-/settings/profile',
    menu: 'settings',
    access: session,
    order: 10,
  },
  {
    id: 'settings-password',
    title: 'Password',
    path: '/-/settings/password',
    menu: 'settings',
    access: session,
    order: 20,
  },
  {
    id: 'settings-tokens',
    title: 'Access tokens',
    path: '/-/settings/tokens',
    menu: 'settings',
    access: session,
    order: 30,
  },
  {
    id: 'settings-sessions',
    title: 'Sessions',
    path: '/-/settings/sessions',
    menu: 'settings',
    access: session,
    order: 40,
  },
  {
    id: 'settings-identities',
    title: 'Sign-in providers',
    path: '/-/settings/identities',
    menu: 'settings',
    access: session,
    order: 25,
  },
];

/** The name of a program, from its User-Agent: the browser and the system, or the beginning of the text. */
function programOf(userAgent: string): string {
  const browser = /\b(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent)?.[1];
  const system = /\b(Windows|Android|iPhone|iPad|Mac OS X|Linux)\b/.exec(userAgent)?.[1];
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };
  if (browser === undefined) return userAgent === '' ? 'An unknown program' : userAgent.slice(0, 80);
  return `${names[browser] ?? browser}${system === undefined ? '' : ` on ${system}`}`;
}

const sessionRow = ({ id, ip, userAgent, createdAt, lastUsedAt, current }: ListedSession, now: Date) => ({
  title: html`<bdi>${programOf(userAgent)}</bdi> ${current && pill('this browser', 'good')}`,
  about: html`${ip} · signed in ${time(createdAt, now)} · used ${time(lastUsedAt, now)}`,
  end: current
    ? undefined
    : html`<form method="post" action="/-/settings/sessions/${id}/end">${button('End', { kind: 'danger' })}</form>`,
});

/** The members that the form of the profile has. */
const profileOf = ({ displayName, bio, avatarUrl, email }: Account) => ({ displayName, bio, avatarUrl, email });

export const settingsPages = ({ profiles, sessions, identities }: IdentityUseCases): readonly WebPage[] => [
  page({
    ...guarded,
    id: 'settingsStart',
    summary: 'Leads to the first page of settings',
    path: '/settings',
    run: () =>
      reply(new HtmlPage({ title: 'Settings', main: html`` }), {
        status: 303,
        headers: { location: '/-/settings/profile' },
      }),
  }),
  page({
    ...guarded,
    id: 'settingsProfile',
    summary: 'The profile of the caller',
    path: '/settings/profile',
    query: afterQuery,
    async run(call, { query, refused }) {
      const account = await profiles.own(call);
      return new HtmlPage({
        title: 'Profile',
        width: 'wide',
        main: html`<h1>Profile</h1>
          ${query.done !== undefined && done('The profile is saved.')}
          ${formError(refused, 'settingsProfileSave', 'display_name', 'bio', 'avatar_url', 'email')}
          <form class="settings" method="post">
            ${shownValues(profileOf(account), refused)}
            ${field({ label: 'Name', name: 'display_name', value: account.displayName, autocomplete: 'name', refused })}
            ${textArea({
              label: 'About you',
              name: 'bio',
              value: account.bio,
              rows: 4,
              hint: `Shown on your page, to everybody. Up to ${profileLimits.bio} characters.`,
              refused,
            })}
            ${field({
              label: 'E-mail address',
              name: 'email',
              type: 'email',
              value: account.email,
              autocomplete: 'email',
              hint: 'Not shown to others. A new address may have to be verified before you can sign in again.',
              required: true,
              refused,
            })}
            ${field({
              label: 'Picture',
              name: 'avatar_url',
              type: 'url',
              value: account.avatarUrl,
              hint: 'The address of an image, for applications that show it. Pages here show the first letter of your username.',
              refused,
            })}
            <div class="actions">
              ${button('Save', { kind: 'primary' })}
              <a href="/${account.username}">Your page</a>
            </div>
          </form>`,
      });
    },
    forms: [
      form({
        ...guarded,
        id: 'settingsProfileSave',
        summary: 'Changes the profile',
        path: '/settings/profile',
        // Lengths are checked by the use case. An absent member of a form is an empty one.
        body: shape({
          display_name: maybe(word()),
          bio: maybe(word()),
          avatar_url: maybe(word()),
          email: word(),
          shown,
        }),
        async run(call, { body }) {
          const { display_name: displayName = '', bio = '', avatar_url: avatarUrl = '', email } = body;
          const wanted = { displayName, bio: bio.replaceAll('\r\n', '\n'), avatarUrl, email };
          await profiles.update(call, onlyChanged(wanted, body.shown));
          return '/-/settings/profile?done=saved';
        },
      }),
    ],
  }),
  page({
    ...guarded,
    id: 'settingsPassword',
    summary: 'Asks for a new password',
    path: '/settings/password',
    query: afterQuery,
    async run(call, { query, refused }) {
      const { hasPassword } = await identities.waysIn(call);
      return new HtmlPage({
        title: 'Password',
        width: 'wide',
        main: html`<h1>Password</h1>
          ${query.done !== undefined && done('The password is changed, and your other sessions have ended.')}
          ${formError(refused, 'settingsPasswordSave', 'current_password', 'new_password')}
          <form class="settings" method="post">
            <input type="hidden" name="username" autocomplete="username" value="${call.caller.username}" />
            ${
              hasPassword
                ? field({
                    label: 'Current password',
                    name: 'current_password',
                    type: 'password',
                    autocomplete: 'current-password',
                    required: true,
                    refused,
                  })
                : html`<p class="muted">
                    Your account has no password yet. You can set one within 10 minutes of a sign-in.
                  </p>`
            }
            ${field({
              label: 'New password',
              name: 'new_password',
              type: 'password',
              autocomplete: 'new-password',
              hint: `${passwordLength.min} to ${passwordLength.max} characters. Your other sessions end; access tokens stay.`,
              required: true,
              refused,
            })}
            ${button(hasPassword ? 'Change password' : 'Set password', { kind: 'primary' })}
          </form>`,
      });
    },
    forms: [
      form({
        ...guarded,
        id: 'settingsPasswordSave',
        summary: 'Changes the password',
        path: '/settings/password',
        body: shape({ current_password: maybe(password()), new_password: password() }),
        async run(call, { body: { current_password: current, new_password: next } }) {
          await profiles.changePassword(call, { current, next }).catch((error: unknown) => {
            if (!(error instanceof Forbidden) || error.code !== 'wrong_password') throw error;
            throw new ValidationFailed(error.message, { detail: error.detail ?? '', cause: error });
          });
          return '/-/settings/password?done=changed';
        },
      }),
    ],
  }),
  page({
    ...guarded,
    id: 'settingsSessions',
    summary: 'The sessions of the caller',
    path: '/settings/sessions',
    query: shape(pageQuery),
    async run(call, { query, url, refused }) {
      const found = await sessions.list(call, readPage(pageRules.orDefault(), query));
      return new HtmlPage({
        title: 'Sessions',
        width: 'wide',
        main: html`<div class="bar">
            <h1 class="grow">Sessions <span class="count">${String(found.total)}</span></h1>
            ${
              found.total > 1 &&
              html`<form method="post" action="/-/settings/sessions/end-others">${button('End all others')}</form>`
            }
          </div>
          ${formError(refused, 'settingsSessionEnd')} ${formError(refused, 'settingsSessionEndOthers')}
          <p class="muted">
            The browsers and programs that are signed in with your password. A session that is not used for 30 days
            ends; a new password ends all others.
          </p>
          ${list(found.items.map((one) => sessionRow(one, call.now)))} ${pagination(url, found)}`,
      });
    },
    forms: [
      form({
        ...guarded,
        id: 'settingsSessionEndOthers',
        summary: 'Ends all other sessions of the caller',
        path: '/settings/sessions/end-others',
        body: shape({}),
        async run(call) {
          await sessions.endOthers(call);
          return '/-/settings/sessions';
        },
      }),
      form({
        ...guarded,
        id: 'settingsSessionEnd',
        summary: 'Ends a session of the caller',
        path: '/settings/sessions/{id}/end',
        body: shape({}),
        async run(call, { params }) {
          await sessions.endOne(call, params);
          return '/-/settings/sessions';
        },
      }),
    ],
  }),
];
