// The pages of the caller's own applications.
import {
  flag,
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
  type MenuEntry,
  type TypeOf,
  type WebPage,
} from 'hexforge/plugin';
import { defaultScopes, isConfidential, type Client } from 'hexforge/oauth';
import {
  button,
  checkTyped,
  confirmButton,
  copyField,
  done,
  empty,
  formError,
  group,
  linkButton,
  list,
  pagination,
  onlyChanged,
  refusedIn,
  select,
  shownValues,
  time,
  notice,
} from 'hexforge/ui';
import type { OAuthUseCases } from '#core/oauth/use-cases';
import { guarded, urisOf } from './routes.ts';
import { applicationDeletion, applicationFields, marks, membersForm, secretPage } from './views.ts';

const membersBody = {
  name: word(),
  description: maybe(word()),
  homepage_url: maybe(word()),
  logo_url: maybe(word()),
  redirect_uris: word(),
  scopes: maybe(listOf(word().max(64)).single().max(100)),
} as const;
const changeBody = shape({ ...membersBody, shown: maybe(word().max(2000)) });
const newBody = shape({ ...membersBody, confidential: flag() });

/** The members of an application. An absent field of a form is an empty one. */
const membersOf = (body: Omit<TypeOf<typeof changeBody>, 'shown'>) => ({
  name: body.name,
  description: (body.description ?? '').replaceAll('\r\n', '\n'),
  homepageUrl: body.homepage_url ?? '',
  logoUrl: body.logo_url ?? '',
  redirectUris: urisOf(body.redirect_uris),
  scopes: body.scopes ?? [],
});

/** The members that the form has. */
const shownOf = ({ name, description, homepageUrl, logoUrl, redirectUris, scopes }: Client) => ({
  name,
  description,
  homepageUrl,
  logoUrl,
  redirectUris,
  scopes,
});

const nothing = { name: '', description: '', homepageUrl: '', logoUrl: '', redirectUris: [], scopes: defaultScopes };

export const applicationMenu = (): readonly MenuEntry[] => [
  {
    id: 'settings-applications',
    title: 'Applications',
    path: '/-/settings/applications',
    menu: 'settings',
    access: session,
    order: 60,
  },
];

const row = (client: Client, now: Date) => ({
  title: html`<a href="/-/settings/applications/${client.id}"><bdi>${client.name}</bdi></a> ${marks(client)}`,
  about: html`<code>${client.clientId}</code>`,
  end: html`changed ${time(client.updatedAt, now)}`,
});

export const applicationPages = ({ applications, scopes }: OAuthUseCases): readonly WebPage[] => [
  page({
    ...guarded,
    id: 'applicationsPage',
    summary: 'The applications of the caller',
    path: '/settings/applications',
    query: shape(pageQuery),
    async run(call, { query, url }) {
      const found = await applications.list(call, readPage(pageRules.orDefault(), query));
      const another = linkButton('New application', '/-/settings/applications/new', { kind: 'primary' });
      return new HtmlPage({
        title: 'Applications',
        width: 'wide',
        main: html`<div class="bar">
            <h1 class="grow">Applications <span class="count">${String(found.total)}</span></h1>
            ${found.total > 0 && another}
          </div>
          ${
            found.total === 0
              ? empty(
                  'You have no application',
                  html`<p>An application signs users of this instance in, or works in their name, by OAuth2.</p>
                    ${another}`,
                )
              : list(found.items.map((client) => row(client, call.now)))
          }
          ${pagination(url, found)}`,
      });
    },
  }),
  page({
    ...guarded,
    id: 'applicationNewPage',
    summary: 'Asks for the members of a new application',
    path: '/settings/applications/new',
    run: (_call, { refused }) =>
      new HtmlPage({
        title: 'New application',
        width: 'wide',
        main: html`<h1>New application</h1>
          ${formError(refused, 'applicationMake', ...applicationFields, 'confidential')}
          <form class="settings" method="post">
            ${membersForm(nothing, scopes(), refused)}
            ${select({
              label: 'Kind',
              name: 'confidential',
              value: 'true',
              choices: [
                { value: 'true', label: 'A server, which can keep a secret' },
                { value: 'false', label: 'A program on devices of users, or a page' },
              ],
              hint: 'It cannot be changed later.',
              refused,
            })}
            ${button('Create application', { kind: 'primary' })}
          </form>`,
      }),
    forms: [
      form({
        ...guarded,
        id: 'applicationMake',
        summary: 'Registers an application, and shows its secret once',
        path: '/settings/applications/new',
        body: newBody,
        async run(call, { body }) {
          const made = await applications.create(call, { ...membersOf(body), confidential: body.confidential });
          return secretPage(made.client, made.secret);
        },
      }),
    ],
  }),
  page({
    ...guarded,
    id: 'applicationPage',
    summary: 'An application of the caller',
    path: '/settings/applications/{id}',
    query: shape({ done: maybe(word().empty('').max(16)) }),
    async run(call, { params, query, refused }) {
      const client = await applications.fetch(call, params);
      const { id, name, clientId } = client;
      const path = `/-/settings/applications/${id}`;
      return new HtmlPage({
        title: name,
        width: 'wide',
        main: html`<h1><bdi>${name}</bdi> ${marks(client)}</h1>
          ${client.suspended && notice('It is suspended: nobody can use it. Ask an administrator.')}
          <div class="settings">${copyField({ id: 'client-id', label: 'Client ID', value: clientId })}</div>
          ${query.done !== undefined && done('The application is saved.')}
          ${formError(refused, 'applicationSave', ...applicationFields)} ${formError(refused, 'applicationSecret')}
          <form class="settings group" method="post" action="${path}">
            ${shownValues(shownOf(client), refusedIn(refused, 'applicationSave'))}
            ${membersForm(client, scopes(), refusedIn(refused, 'applicationSave'))}
            <p class="hint">Its tokens lose the scopes that you take away.</p>
            ${button('Save', { kind: 'primary' })}
          </form>
          ${
            isConfidential(client) &&
            group(
              'Secret',
              'It is stored as a hash, so it cannot be shown again.',
              confirmButton('New secret…', {
                action: `${path}/secret`,
                about: 'The present secret stops working at once.',
                confirm: 'Replace the secret',
              }),
            )
          }
          ${applicationDeletion('applicationRemove', path, refused)}`,
      });
    },
    forms: [
      form({
        ...guarded,
        id: 'applicationSave',
        summary: 'Changes an application of the caller',
        path: '/settings/applications/{id}',
        body: changeBody,
        async run(call, { params: { id }, body }) {
          await applications.update(call, { id, ...onlyChanged(membersOf(body), body.shown) });
          return `/-/settings/applications/${id}?done=saved`;
        },
      }),
      form({
        ...guarded,
        id: 'applicationSecret',
        summary: 'Gives an application another secret, and shows it once',
        path: '/settings/applications/{id}/secret',
        body: shape({}),
        async run(call, { params }) {
          const { secret } = await applications.rotateSecret(call, params);
          return secretPage(await applications.fetch(call, params), secret);
        },
      }),
      form({
        ...guarded,
        id: 'applicationRemove',
        summary: 'Deletes an application of the caller',
        path: '/settings/applications/{id}/delete',
        body: shape({ confirm: word() }),
        async run(call, { params, body }) {
          checkTyped(body.confirm, (await applications.fetch(call, params)).name, 'application');
          await applications.delete(call, params);
          return '/-/settings/applications';
        },
      }),
    ],
  }),
];
