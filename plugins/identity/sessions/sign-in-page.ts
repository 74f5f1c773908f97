// The page for signing in with a name and a password, which then returns to the page that linked to it.
import {
  anyone,
  api,
  html,
  HtmlPage,
  maybe,
  reply,
  shape,
  ValidationFailed,
  word,
  type DashboardCard,
  type Html,
  type RefusedForm,
  type Reply,
  type Route,
} from 'hexforge/plugin';
import { returnPath, type ListedProvider } from 'hexforge/identity';
import { button, field, formError, linkButton, notice, urlWith } from 'hexforge/ui';
import { signInRefusal, type IdentityUseCases, type SignedIn } from '#core/identity/use-cases';
import { password } from '../accounts/schemas.ts';
import { pageCookies } from './cookies.ts';

/** The parts of the page that depend on the instance. */
interface Situation {
  readonly registrationOpen: boolean;
  /** Whether no user has signed in yet. */
  readonly unused: boolean;
  /** The path to go on to, or empty. */
  readonly returnTo: string;
  /** The other ways to sign in. */
  readonly providers: readonly ListedProvider[];
}
const nothingKnown: Situation = { registrationOpen: false, unused: false, returnTo: '', providers: [] };

/** The name that was typed into a form that was refused, by the error. Passwords are not sent back. */
interface Attempt {
  readonly situation: Situation;
  readonly username: string;
}
const attempts = new WeakMap<object, Attempt>();

const firstStart = html`<p class="hint">
    This instance is new. Its first start printed the name and the password of the administrator on the terminal, unless
    the configuration sets them.
  </p>
  <p class="hint">Lost? <code>hexforge admin reset-password NAME</code></p>`;

/** Explains to visitors of a new instance how to begin. */
export const firstStartCard = ({ profiles }: IdentityUseCases): DashboardCard => ({
  id: 'first-start',
  title: 'Welcome to Hexforge',
  order: 1,
  run: async ({ caller }) =>
    caller.kind === 'anonymous' && (await profiles.unused())
      ? html`${firstStart}
          <p>${linkButton('Sign in', '/-/sign-in?return_to=%2F', { kind: 'primary' })}</p>`
      : undefined,
});

/** A button for each provider that signs in by a redirect, in the order of the operator. */
function providerButtons({ providers, returnTo }: Situation): Html | undefined {
  const buttons = providers.flatMap(({ startPath, displayName }) =>
    startPath === undefined
      ? []
      : [html`<li>${linkButton(`Sign in with ${displayName}`, urlWith(startPath, { return_to: returnTo }))}</li>`],
  );
  return buttons.length === 0
    ? undefined
    : html`<ul class="sign-in-with">
        ${buttons}
      </ul>`;
}

/** Names the directories whose passwords the form accepts too. */
function directoryHint({ providers }: Situation): Html | undefined {
  const names = providers.filter(({ kind }) => kind === 'password').map(({ displayName }) => displayName);
  return names.length === 0
    ? undefined
    : html`<p class="hint">Your name and password of ${names.join(', ')} are accepted too.</p>`;
}

function signInPage(situation: Situation, refused?: RefusedForm, notice?: Html): HtmlPage {
  const { registrationOpen, unused, returnTo } = situation;
  const known = refused?.values['username'] !== undefined;
  return new HtmlPage({
    title: 'Sign in',
    main: html`<h1>Sign in</h1>
      ${notice} ${formError(refused, 'signIn', 'username', 'password')} ${unused && firstStart}
      <form method="post">
        ${field({
          label: 'Username',
          name: 'username',
          autocomplete: 'username',
          required: true,
          autofocus: !known,
          refused,
        })}
        ${field({
          label: 'Password',
          name: 'password',
          type: 'password',
          autocomplete: 'current-password',
          required: true,
          autofocus: known,
          refused,
        })}
        ${directoryHint(situation)} ${button('Sign in', { kind: 'primary' })}
      </form>
      ${providerButtons(situation)}
      ${registrationOpen && html`<p class="after">No account yet? <a href="${urlWith('/-/sign-up', { return_to: returnTo })}">Sign up</a></p>`}`,
  });
}

/**
 * Sets the cookies of a session, and leads to `returnTo` if it is a path of this instance. It is not a redirect:
 * the form-action policy of the page with the form would then also apply to the targets of the next page.
 */
export function signedIn(opened: SignedIn, returnTo: string, webUrl: string): Reply<HtmlPage> {
  const path = returnPath(returnTo, new URL(webUrl).pathname.replace(/\/$/, ''));
  const next = path && webUrl + path;
  const page = new HtmlPage({
    title: 'Signed in',
    main: html`<h1>You are signed in as ${opened.account.username}</h1>
      <p>${next === undefined ? html`<a href="/">Go to the start page</a>` : html`<a href="${next}">Go on</a>`}</p>`,
  });
  return reply(page, {
    cookies: pageCookies(opened),
    ...(next !== undefined && { headers: { refresh: `0; url=${next}` } }),
  });
}

/** The page of a refused form, for the error that refused it. */
function refusedPage(told: Readonly<Record<string, unknown>>, error: unknown): HtmlPage {
  const { situation = nothingKnown, username } = attempts.get(error as object) ?? ({} as Partial<Attempt>);
  const detail = typeof told['detail'] === 'string' ? told['detail'] : undefined;
  return signInPage(situation, {
    form: 'signIn',
    error: String(told['error']),
    detail,
    field: /^Field "(\w+)/.exec(detail ?? '')?.[1],
    values: username === undefined ? {} : { username },
  });
}

/** The reason why a sign-in elsewhere was refused, in words; another code shows nothing. */
function noticeOf(code: string | undefined): Html | undefined {
  const refusal = code === undefined ? undefined : signInRefusal(code);
  return refusal && notice(html`<b>${refusal.message}.</b> ${refusal.detail}.`, true);
}

/** The path that a page of this plugin leads back to. */
export const returnQuery = { return_to: maybe(word().empty('').max(16_384)) };

const common = {
  mount: 'root',
  path: '/-/sign-in',
  access: anyone,
  scope: null,
  requires: ['PageFrame'],
  query: shape({ ...returnQuery, error: maybe(word().empty('').max(64)) }),
  result: 'html',
  refusal: (failure, error) => ({ ...failure, page: refusedPage(failure.body, error) }),
} as const satisfies Partial<Parameters<typeof api>[0]>;

/** Both are required. They are checked by `run`, which keeps what was typed. */
const signInForm = shape({ username: maybe(word().max(256)), password: maybe(password()) });

const required = (name: string): ValidationFailed =>
  new ValidationFailed('The form is not complete', { detail: `Field "${name}" is required` });

export const signInPageRoutes = (
  { sessions, profiles, redirects }: IdentityUseCases,
  webUrl: () => string,
): readonly Route[] => {
  const situation = async (returnTo = ''): Promise<Situation> => ({
    registrationOpen: await profiles.registrationOpen(),
    unused: await profiles.unused(),
    returnTo,
    providers: await redirects.providers(),
  });
  return [
    api({
      ...common,
      id: 'signInPage',
      summary: 'Asks for a name and a password',
      method: 'GET',
      run: async (_call, { query }) => signInPage(await situation(query.return_to), undefined, noticeOf(query.error)),
    }),
    api({
      ...common,
      id: 'signInPageAnswer',
      summary: 'Signs in, and goes on to `return_to`, a path of this instance',
      method: 'POST',
      form: true,
      body: signInForm,
      async run(call, { query: { return_to: returnTo = '' }, body }) {
        const { username, password: secret } = body;
        const before = await situation(returnTo);
        try {
          if (username === undefined) throw required('username');
          if (secret === undefined) throw required('password');
          return signedIn(await sessions.signIn(call, { username, password: secret }), returnTo, webUrl());
        } catch (error) {
          if (typeof error === 'object' && error !== null)
            attempts.set(error, { situation: before, username: username ?? '' });
          throw error;
        }
      },
    }),
  ];
};
