// The page with the grants of the caller to applications.
import {
  form,
  html,
  HtmlPage,
  page,
  pageQuery,
  pageRules,
  readPage,
  session,
  shape,
  type MenuEntry,
  type WebPage,
} from 'hexforge/plugin';
import { confirmButton, empty, formError, list, pagination, pill, time } from 'hexforge/ui';
import type { ListedGrant, OAuthUseCases } from '#core/oauth/use-cases';
import { scopeItems } from '../applications/views.ts';
import { guarded } from './routes.ts';

export const grantMenu = (): readonly MenuEntry[] => [
  {
    id: 'settings-grants',
    title: 'Granted access',
    path: '/-/settings/grants',
    menu: 'settings',
    access: session,
    order: 70,
  },
];

const row = (
  { grant, client }: ListedGrant,
  { now, scopes }: { readonly now: Date; readonly scopes: ReturnType<OAuthUseCases['scopes']> },
) => ({
  title: html`${
    client.homepageUrl === ''
      ? html`<bdi>${client.name}</bdi>`
      : html`<a href="${client.homepageUrl}" rel="noreferrer"><bdi>${client.name}</bdi></a>`
  }
  ${grant.remembered !== null && pill('not asked again')}`,
  about: html`<ul class="can">
      ${scopeItems(grant.scopes, scopes)}
    </ul>
    ${grant.resource !== '' && html`<p>At this address alone: <code>${grant.resource}</code></p>`} granted
    ${time(grant.createdAt, now)} · used or changed ${time(grant.updatedAt, now)}`,
  end: confirmButton('Revoke…', {
    action: `/-/settings/grants/${client.clientId}/revoke`,
    about: 'All its tokens end at once. It can ask again.',
    confirm: 'Revoke the access',
  }),
});

export const grantPages = ({ grants, scopes }: OAuthUseCases): readonly WebPage[] => [
  page({
    ...guarded,
    id: 'grantsPage',
    summary: 'What the caller has granted applications',
    path: '/settings/grants',
    query: shape(pageQuery),
    async run(call, { query, url, refused }) {
      const found = await grants.list(call, readPage(pageRules.orDefault(), query));
      const all = { now: call.now, scopes: scopes() };
      return new HtmlPage({
        title: 'Granted access',
        width: 'wide',
        main: html`<h1>Granted access <span class="count">${String(found.total)}</span></h1>
          ${formError(refused, 'grantTakeBack')}
          ${
            found.total === 0
              ? empty('You have granted no application access', 'Applications that ask for it appear here.')
              : list(found.items.map((listed) => row(listed, all)))
          }
          ${pagination(url, found)}`,
      });
    },
    forms: [
      form({
        ...guarded,
        id: 'grantTakeBack',
        summary: 'Ends what the caller has granted an application',
        path: '/settings/grants/{client}/revoke',
        body: shape({}),
        async run(call, { params }) {
          await grants.revoke(call, { clientId: params.client });
          return '/-/settings/grants';
        },
      }),
    ],
  }),
];
