// The page for registering an account, where the setting `signup.enabled` allows it.
import { anyone, form, Forbidden, html, HtmlPage, page, reply, shape, type Html, type WebPage } from 'hexforge/plugin';
import { passwordLength } from 'hexforge/identity';
import { button, field, formError, linkButton, urlWith } from 'hexforge/ui';
import type { IdentityUseCases } from '#core/identity/use-cases';
import { newAccountMembers } from '../accounts/schemas.ts';
import { pageCookies } from './cookies.ts';
import { returnQuery, signedIn } from './sign-in-page.ts';

const fields = ['username', 'email', 'display_name', 'password'];

/** An account that may not sign in yet, and the reason. */
const waitingPage = (reason: Html): HtmlPage =>
  new HtmlPage({
    title: 'Account created',
    main: html`<h1>Your account exists</h1>
      <p>${reason}</p>
      ${linkButton('Sign in', '/-/sign-in')}`,
  });

const closedPage = new HtmlPage({
  title: 'Sign up',
  main: html`<h1>Registration is closed</h1>
    <p>Ask an administrator of this instance for an account.</p>
    ${linkButton('Sign in', '/-/sign-in')}`,
});

export const signUpPages = ({ sessions, profiles }: IdentityUseCases, webUrl: () => string): readonly WebPage[] => [
  page({
    id: 'signUpPage',
    summary: 'Asks for the members of a new account',
    path: '/sign-up',
    access: anyone,
    scope: null,
    query: shape(returnQuery),
    async run(_call, { query: { return_to: returnTo = '' }, refused }) {
      if (!(await profiles.registrationOpen())) return closedPage;
      return new HtmlPage({
        title: 'Sign up',
        main: html`<h1>Sign up</h1>
          ${formError(refused, 'signUp', ...fields)}
          <form method="post">
            ${field({
              label: 'Username',
              name: 'username',
              autocomplete: 'username',
              hint: 'Letters, digits, “-”, “_” and “.”. It is part of every address, and cannot be changed.',
              required: true,
              autofocus: true,
              refused,
            })}
            ${field({
              label: 'E-mail address',
              name: 'email',
              type: 'email',
              autocomplete: 'email',
              hint: 'Not shown to others.',
              required: true,
              refused,
            })}
            ${field({ label: 'Name (optional)', name: 'display_name', autocomplete: 'name', refused })}
            ${field({
              label: 'Password',
              name: 'password',
              type: 'password',
              autocomplete: 'new-password',
              hint: `${passwordLength.min} to ${passwordLength.max} characters.`,
              required: true,
              refused,
            })}
            ${button('Sign up', { kind: 'primary' })}
          </form>
          <p class="after">
            Already registered? <a href="${urlWith('/-/sign-in', { return_to: returnTo })}">Sign in</a>
          </p>`,
      });
    },
    forms: [
      form({
        id: 'signUp',
        summary: 'Registers an account, and signs it in if it may',
        path: '/sign-up',
        access: anyone,
        scope: null,
        body: shape(newAccountMembers),
        async run(call, { body, url }) {
          const { username, email, password, display_name: displayName = '' } = body;
          await profiles.register(call, { username, email, password, displayName });
          try {
            const opened = await sessions.signIn(call, { username, password });
            const returnTo = new URL(url, webUrl()).searchParams.get('return_to');
            if (returnTo !== null) return signedIn(opened, returnTo, webUrl());
            return reply('/', { cookies: pageCookies(opened) });
          } catch (error) {
            if (!(error instanceof Forbidden)) throw error;
            return waitingPage(html`${error.message}. ${error.detail}.`);
          }
        },
      }),
    ],
  }),
];
