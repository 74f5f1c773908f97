// The pages of all applications of the instance, for users with the scope admin:oauth2.
import {
  form,
  html,
  HtmlPage,
  page,
  pageQuery,
  pageRules,
  readPage,
  shape,
  word,
  type Html,
  type MenuEntry,
  type TrailEntry,
  type WebPage,
} from 'hexforge/plugin';
import type { PublicUser, Users } from 'hexforge/identity';
import type { Client, Grant } from 'hexforge/oauth';
import {
  button,
  checkTyped,
  confirmButton,
  empty,
  filterBar,
  formError,
  group,
  linkButton,
  list,
  pagination,
  person,
  searchField,
  table,
  time,
  facts,
} from 'hexforge/ui';
import type { OAuthUseCases } from '#core/oauth/use-cases';
import { administering } from './admin-routes.ts';
import { applicationSearchQuery } from './schemas.ts';
import { applicationDeletion, marks, scopeItems } from './views.ts';

const root = '/-/admin/applications';

const lines = (items: readonly Html[]): Html =>
  html`<ul class="can">
    ${items}
  </ul>`;

export const applicationAdminMenu = ({ administration }: OAuthUseCases): readonly MenuEntry[] => [
  {
    id: 'admin-applications',
    title: 'Applications',
    path: root,
    menu: 'admin',
    access: administering.access,
    order: 60,
    about: 'Applications of all users, and what they were granted: suspend, delete',
    count: async (call) => (await administration.list(call, undefined, { page: 1, perPage: 1 })).total,
  },
];

type Owners = ReadonlyMap<string, PublicUser>;

const ownerOf = ({ ownerId }: Client, owners: Owners): Html | false => {
  const owner = owners.get(ownerId ?? '');
  return owner !== undefined && person(owner.username);
};

const applicationTable = (clients: readonly Client[], owners: Owners, now: Date): Html =>
  table(
    ['Application', 'Owner', 'Client ID', 'Created'],
    clients.map((client) => [
      html`<a href="${root}/${client.id}"><bdi>${client.name}</bdi></a> ${marks(client)}`,
      ownerOf(client, owners),
      html`<code>${client.clientId}</code>`,
      time(client.createdAt, now),
    ]),
  );

const grantRow = ({ userId, scopes, resource, createdAt, updatedAt }: Grant, users: Owners, now: Date) => {
  const user = users.get(userId);
  return {
    title: user === undefined ? 'A deleted account' : person(user.username),
    about: html`${scopes.map((scope) => html`<code>${scope}</code> `)}
    ${resource !== '' && html`at <code>${resource}</code>`}`,
    end: html`granted ${time(createdAt, now)}, used or changed ${time(updatedAt, now)}`,
  };
};

const entryRow = ({ action, actorUsername, ip, at, details }: TrailEntry, now: Date) => ({
  title: html`<code>${action}</code>`,
  about: html`${actorUsername !== undefined && html`<bdi>${actorUsername}</bdi> · `}${ip}<br /><code
      >${JSON.stringify(details).slice(0, 1000)}</code
    >`,
  end: time(at, now),
});

/** The buttons that suspend an application, or end the suspension. */
const suspension = ({ id, suspended }: Client): Html =>
  suspended
    ? html`<form method="post" action="${root}/${id}/unsuspend">${button('Reactivate')}</form>`
    : confirmButton('Suspend…', {
        action: `${root}/${id}/suspend`,
        about: 'All its tokens and grants end for good, and it cannot ask for others.',
        confirm: 'Suspend the application',
      });

export function applicationAdminPages(
  { administration, scopes }: OAuthUseCases,
  users: () => Users,
): readonly WebPage[] {
  const ownersOf = (clients: readonly Client[]): Promise<Owners> =>
    users().byIds(clients.flatMap(({ ownerId }) => ownerId ?? []));

  return [
    page({
      ...administering,
      id: 'adminApplicationsPage',
      summary: 'All applications of the instance',
      path: '/admin/applications',
      query: applicationSearchQuery,
      async run(call, { query, url }) {
        const found = await administration.list(call, query.q, readPage(pageRules.orDefault(), query));
        const owners = await ownersOf(found.items);
        return new HtmlPage({
          title: 'Applications',
          width: 'wide',
          main: html`<h1>Applications <span class="count">${String(found.total)}</span></h1>
            ${filterBar(root, searchField('Name', 'q', query.q ?? ''))}
            ${
              found.items.length === 0
                ? query.q === undefined
                  ? empty('There is no application yet', 'Users register theirs in their settings.')
                  : empty('No application has such a name', html`<a href="${root}">Show all</a>`)
                : applicationTable(found.items, owners, call.now)
            }
            ${pagination(url, found)}`,
        });
      },
    }),
    page({
      ...administering,
      id: 'adminApplicationPage',
      summary: 'An application, and who has granted it access',
      path: '/admin/applications/{id}',
      query: shape(pageQuery),
      async run(call, { params, query, url, refused }) {
        const client = await administration.fetch(call, params);
        const found = await administration.grants(call, params, readPage(pageRules.orDefault(), query));
        const owners = await ownersOf([client]);
        const people = await users().byIds(found.items.map(({ userId }) => userId));
        const { id, name, description, homepageUrl, clientId, redirectUris } = client;
        return new HtmlPage({
          title: name,
          width: 'wide',
          main: html`<p class="quiet"><a href="${root}">Applications</a></p>
            <div class="bar">
              <h1 class="grow"><bdi>${name}</bdi> ${marks(client)}</h1>
              ${linkButton('Audit log', `${root}/${id}/audit`)}
            </div>
            ${formError(refused, 'adminApplicationStop')} ${formError(refused, 'adminApplicationResume')}
            ${description !== '' && html`<p class="bio"><bdi>${description}</bdi></p>`}
            ${facts([
              ['Client ID', html`<code>${clientId}</code>`],
              ['Owner', [ownerOf(client, owners), client.ownerId === null && 'It registered itself']],
              ['Created', time(client.createdAt, call.now)],
              homepageUrl === ''
                ? undefined
                : ['Homepage', html`<a href="${homepageUrl}" rel="noreferrer">${homepageUrl}</a>`],
              ['Redirect URIs', lines(redirectUris.map((uri) => html`<li><code>${uri}</code></li>`))],
              ['It may ask to', lines(scopeItems(client.scopes, scopes()))],
            ])}
            ${group(
              'Granted by',
              '',
              found.items.length === 0
                ? html`<p class="muted">Nobody has granted it access.</p>`
                : html`${list(found.items.map((grant) => grantRow(grant, people, call.now)))} ${pagination(url, found)}`,
            )}
            ${group('Suspension', '', suspension(client))}
            ${applicationDeletion('adminApplicationRemove', `${root}/${id}`, refused)}`,
        });
      },
      forms: [
        ...(['suspend', 'unsuspend'] as const).map((act) =>
          form({
            ...administering,
            id: act === 'suspend' ? 'adminApplicationStop' : 'adminApplicationResume',
            summary: act === 'suspend' ? 'Suspends an application' : 'Ends the suspension of an application',
            path: `/admin/applications/{id}/${act}` as '/admin/applications/{id}/suspend',
            body: shape({}),
            async run(call, { params }) {
              await administration[act](call, params);
              return `${root}/${params.id}`;
            },
          }),
        ),
        form({
          ...administering,
          id: 'adminApplicationRemove',
          summary: 'Deletes an application',
          path: '/admin/applications/{id}/delete',
          body: shape({ confirm: word() }),
          async run(call, { params, body }) {
            checkTyped(body.confirm, (await administration.fetch(call, params)).name, 'application');
            await administration.delete(call, params);
            return root;
          },
        }),
      ],
    }),
    page({
      ...administering,
      id: 'adminApplicationAuditPage',
      summary: 'The entries of the audit log about an application, also about a deleted one',
      path: '/admin/applications/{id}/audit',
      query: shape(pageQuery),
      async run(call, { params, query, url }) {
        const found = await administration.audit(call, params, readPage(pageRules.orDefault(), query));
        return new HtmlPage({
          title: 'Audit log of an application',
          width: 'wide',
          main: html`<p class="quiet"><a href="${root}/${params.id}">The application</a></p>
            <h1>Audit log of an application <span class="count">${String(found.total)}</span></h1>
            ${
              found.items.length === 0
                ? empty('The audit log has no entry about it')
                : list(found.items.map((entry) => entryRow(entry, call.now)))
            }
            ${pagination(url, found)}`,
        });
      },
    }),
  ];
}
