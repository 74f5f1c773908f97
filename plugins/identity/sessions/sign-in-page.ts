// The page for signing in with a name and a password, which then returns to the page that linked to it.
import { anyone, api, html, HtmlPage, maybe, reply, shape, word, type Route } from 'hexforge/plugin';
import { returnPath } from 'hexforge/identity';
import type { IdentityUseCases } from '#core/identity/use-cases';
import { pageCookies } from './cookies.ts';
import { loginBody } from './schemas.ts';

/** @param refused Why the previous attempt failed. */
const signInPage = (...refused: readonly unknown[]): HtmlPage =>
  new HtmlPage({
    title: 'Sign in',
    main: html`<h1>Sign in</h1>
      ${refused.map((line) => typeof line === 'string' && html`<p role="alert">${line}</p>`)}
      <form method="post">
        <p>
          <label for="username">Username</label>
          <input name="username" id="username" autocomplete="username" autocapitalize="none" required autofocus />
        </p>
        <p>
          <label for="password">Password</label>
          <input name="password" id="password" type="password" autocomplete="current-password" required />
        </p>
        <button>Sign in</button>
      </form>`,
  });

const signedInPage = (username: string, next: string | undefined): HtmlPage =>
  new HtmlPage({
    title: 'Signed in',
    main: html`<h1>You are signed in as ${username}</h1>
      ${next !== undefined && html`<p><a href="${next}">Go on</a></p>`}`,
  });

const common = {
  mount: 'root',
  path: '/-/sign-in',
  access: anyone,
  scope: null,
  requires: ['PageFrame'],
  query: shape({ return_to: maybe(word().empty('').max(16_384)) }),
  result: 'html',
  refusal: (failure) => ({ ...failure, page: signInPage(failure.body['error'], failure.body['detail']) }),
} as const satisfies Partial<Parameters<typeof api>[0]>;

export const signInPageRoutes = ({ sessions }: IdentityUseCases, webUrl: () => string): readonly Route[] => [
  api({
    ...common,
    id: 'signInPage',
    summary: 'Asks for a name and a password',
    method: 'GET',
    run: () => signInPage(),
  }),
  api({
    ...common,
    id: 'signInPageAnswer',
    summary: 'Signs in, and goes on to `return_to`, a path of this instance',
    method: 'POST',
    form: true,
    body: loginBody,
    async run(call, { query: { return_to: returnTo = '' }, body }) {
      const opened = await sessions.signIn(call, body);
      const path = returnPath(returnTo, new URL(webUrl()).pathname.replace(/\/$/, ''));
      const next = path && webUrl() + path;
      return reply(signedInPage(opened.account.username, next), {
        cookies: pageCookies(opened),
        // Not a redirect, because the form-action policy of this page would then also apply to the targets of the next
        // page.
        ...(next !== undefined && { headers: { refresh: `0; url=${next}` } }),
      });
    },
  }),
];
