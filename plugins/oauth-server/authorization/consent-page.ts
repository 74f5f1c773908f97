// The consent page, on which a user approves or cancels the request of an application.
import {
  anyone,
  api,
  Forbidden,
  html,
  HtmlPage,
  type Call,
  type Html,
  type Input,
  type Reply,
  type Route,
  type TypeOf,
} from 'hexforge/plugin';
import type { Users } from 'hexforge/identity';
import { button, checkBox, notice, pill } from 'hexforge/ui';
import type { ConsentQuestion, OAuthUseCases } from '#core/oauth/use-cases';
import { scopeItems } from '../applications/views.ts';
import { sentTo } from './routes.ts';
import { authorizationQuery, pageForm } from './schemas.ts';

const path = '/-/oauth2/authorize';
type Query = TypeOf<typeof authorizationQuery>;

/** The request as the query of a URL. */
const queryOf = (request: Query): string =>
  new URLSearchParams(
    Object.entries(request).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one])),
  ).toString();

/** The sign-in page, with a link back to this page and the same request. */
const signInUrl = (webUrl: string, request: Query): string =>
  `${webUrl}/-/sign-in?return_to=${encodeURIComponent(`${path}?${queryOf(request)}`)}`;

/** The origin of the application. Its name may imitate this instance, so each is called that of a third party. */
const origin = ({ ownerId }: ConsentQuestion['client'], owner: string | undefined): Html =>
  ownerId === null
    ? notice(
        'A third-party application that registered itself: nobody of this instance vouches for it or for its name.',
        true,
      )
    : html`<p>
        ${pill('third party', 'warning')} It is not part of this instance, which has not checked its name.
        ${
          owner !== undefined &&
          html`It was registered by <b><bdi>${owner}</bdi></b
            >.`
        }
      </p>`;

function consentPage(
  { username, client, scopes, rememberedScopes, resource, redirectUri, shown }: ConsentQuestion,
  owner: string | undefined,
  {
    otherAccount,
    request,
    all,
  }: {
    readonly otherAccount: string;
    readonly request: Query;
    readonly all: ReturnType<OAuthUseCases['scopes']>;
  },
): HtmlPage {
  const { name, description, homepageUrl } = client;
  return new HtmlPage({
    title: `Allow ${name}?`,
    main: html`<h1><bdi>${name}</bdi> asks for access to your account</h1>
      <p>
        You are signed in as <b><bdi>${username}</bdi></b
        >. <a href="${otherAccount}">Use another account</a>
      </p>
      ${origin(client, owner)} ${description !== '' && html`<p><bdi>${description}</bdi></p>`}
      ${homepageUrl !== '' && html`<p>Homepage: <a href="${homepageUrl}" rel="noreferrer">${homepageUrl}</a></p>`}
      <p>It will be able to:</p>
      <ul>
        ${scopeItems(scopes, all)}
      </ul>
      ${resource !== '' && html`<p>At this address alone: <code>${resource}</code></p>`}
      <p>Your answer goes to <b>${new URL(redirectUri).host}</b>.</p>
      <form method="post" action="?${queryOf(request)}">
        <input type="hidden" name="scope" value="${scopes.join(' ')}" />
        <input type="hidden" name="shown" value="${shown}" />
        ${checkBox({ label: 'Do not ask again for this', name: 'remember', value: rememberedScopes !== undefined })}
        <div class="actions">
          ${button('Cancel', { name: 'decision', value: 'cancel' })}
          ${button('Approve', { kind: 'primary', name: 'decision', value: 'approve' })}
        </div>
      </form>`,
    formsLeadTo: [redirectUri],
  });
}

/** Allowed for anyone, because callers without a session are redirected to the sign-in page. */
const common = {
  mount: 'root',
  path,
  access: anyone,
  scope: null,
  cookies: true,
  requires: ['PageFrame'],
  query: authorizationQuery,
  result: 'html',
} as const;

export function consentPageRoutes(
  { authorization, open, scopes }: OAuthUseCases,
  { users, webUrl }: { readonly users: () => Users; readonly webUrl: () => string },
): readonly Route[] {
  const ownerOf = async ({ ownerId }: ConsentQuestion['client']): Promise<string | undefined> =>
    ownerId === null ? undefined : (await users().byIds([ownerId])).get(ownerId)?.username;

  /** @param header reads the headers of the request. @param status of a redirect. */
  const asking = async (
    call: Call,
    request: Query,
    {
      header,
      status,
      signIn,
    }: Pick<Input<never, never, never, typeof anyone>, 'header'> & {
      readonly status: 302 | 303;
      readonly signIn: string;
    },
  ): Promise<HtmlPage | Reply<never>> => {
    // A request for a frame or an image can come from any page, so it does not show that the user wants to see this
    // page.
    const elsewhere = (header('sec-fetch-dest') ?? 'document') !== 'document';
    const asked = await authorization.ask(call, request, { elsewhere });
    if (asked.outcome !== 'asked')
      return sentTo(asked.outcome === 'refused' && asked.signIn ? signIn : asked.url, status);
    const otherAccount = signInUrl(webUrl(), request);
    return consentPage(asked.question, await ownerOf(asked.question.client), {
      otherAccount,
      request,
      all: scopes(),
    });
  };

  return [
    api({
      ...common,
      open,
      id: 'oauthConsentPage',
      summary: 'Asks the user whether an application is given what it asks for',
      method: 'GET',
      run: (call, { query, header }) =>
        asking(call, query, { header, status: 302, signIn: signInUrl(webUrl(), query) }),
    }),
    api({
      ...common,
      open,
      id: 'oauthConsentPageAnswer',
      summary: 'Takes the answer of the user, or a request by POST (OpenID Connect Core, section 3.1.2.1)',
      method: 'POST',
      form: true,
      fromOtherSites: true,
      body: pageForm,
      async run(call, { query, body, header, crossSite }): Promise<HtmlPage | Reply<never>> {
        const { decision, remember: _remember, shown: _shown, ...request } = body;
        if (decision === undefined && request.client_id !== undefined) {
          // Browsers send the session cookie with forms of other sites only by GET (SameSite=Lax).
          if (crossSite && call.caller.kind === 'anonymous')
            return sentTo(`${webUrl()}${path}?${queryOf(request)}`, 303);
          return asking(call, request, { header, status: 303, signIn: signInUrl(webUrl(), request) });
        }
        if (crossSite)
          throw new Forbidden('The request comes from another site', {
            code: 'csrf_rejected',
            detail: 'Answer on the page of this instance',
          });
        const decided = await authorization.decide(call, query, body);
        if (decided.outcome === 'asked') return sentTo(`${webUrl()}${path}?${queryOf(query)}`, 303);
        const signIn = decided.outcome === 'refused' && decided.signIn;
        return sentTo(signIn ? signInUrl(webUrl(), query) : decided.url, 303);
      },
    }),
  ];
}
