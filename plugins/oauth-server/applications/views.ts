// Parts of the pages of applications: their fields, their scopes in words, and the page that shows a secret once.
import { html, HtmlPage, type Html, type RefusedForm } from 'hexforge/plugin';
import { clientLimits, isConfidential, redirectLimits, type Client } from 'hexforge/oauth';
import { copyField, field, linkButton, picks, pill, textArea, typedDeletion } from 'hexforge/ui';
import type { OAuthUseCases } from '#core/oauth/use-cases';

type Scopes = ReturnType<OAuthUseCases['scopes']>;
type Members = Pick<Client, 'name' | 'description' | 'homepageUrl' | 'logoUrl' | 'redirectUris' | 'scopes'>;

/** The names of the fields of an application. */
export const applicationFields = ['name', 'description', 'homepage_url', 'logo_url', 'redirect_uris', 'scopes'];

/** The scopes in words, with their names. A scope of an external plugin may have no words. */
export const scopeItems = (scopes: readonly string[], all: Scopes): readonly Html[] => {
  const about = new Map(all.map((scope) => [scope.name, scope.about]));
  return scopes.map((scope) => html`<li>${about.get(scope)} <code>${scope}</code></li>`);
};

/** The fields of a new or changed application. */
export const membersForm = (members: Members, all: Scopes, refused: RefusedForm | undefined): Html => html`
  ${field({
    label: 'Name',
    name: 'name',
    value: members.name,
    hint: `Users see it when they are asked for access. Up to ${clientLimits.name} characters.`,
    required: true,
    refused,
  })}
  ${textArea({ label: 'Description', name: 'description', value: members.description, rows: 3, refused })}
  ${field({ label: 'Homepage', name: 'homepage_url', type: 'url', value: members.homepageUrl, refused })}
  ${field({
    label: 'Logo',
    name: 'logo_url',
    type: 'url',
    value: members.logoUrl,
    hint: 'The address of an image, for programs that show it. Pages here load no images of other hosts.',
    refused,
  })}
  ${textArea({
    label: 'Redirect URIs',
    name: 'redirect_uris',
    value: members.redirectUris.join('\n'),
    rows: 3,
    hint: `Answers are sent to these addresses alone. One per line, up to ${redirectLimits.count}.`,
    required: true,
    refused,
  })}
  ${picks({
    label: 'It may ask to',
    name: 'scopes',
    values: members.scopes,
    choices: all.map(({ name, about }) => ({
      value: name,
      label: name,
      shown: html`<code>${name}</code> <span class="muted">${about}</span>`,
    })),
    refused,
  })}
`;

/** The form that deletes an application whose name is typed. @param path of the application. */
export const applicationDeletion = (form: string, path: string, refused: RefusedForm | undefined): Html =>
  typedDeletion({
    form,
    action: `${path}/delete`,
    noun: 'application',
    about: 'The access that users have granted it ends too.',
    typed: 'the name of the application',
    refused,
  });

/** The kind and the state of an application. */
export const marks = (client: Client): Html =>
  html`${!isConfidential(client) && pill('public')} ${client.suspended && pill('suspended', 'bad')}
  ${client.ownerId === null && pill('registered itself', 'warning')}`;

/** The page after an application was created, or got another secret. A secret is not shown again. */
export const secretPage = ({ id, name, clientId }: Client, secret: string | undefined): HtmlPage =>
  new HtmlPage({
    title: name,
    width: 'wide',
    main: html`<h1><bdi>${name}</bdi></h1>
      ${
        secret === undefined
          ? html`<p>It has no secret, and proves itself by PKCE.</p>`
          : html`<p><b>Copy the secret now. It is not shown again.</b></p>`
      }
      <div class="settings">
        ${copyField({ id: 'client-id', label: 'Client ID', value: clientId })}
        ${secret !== undefined && copyField({ id: 'client-secret', label: 'Client secret', value: secret })}
        ${linkButton('Done', `/-/settings/applications/${id}`)}
      </div>`,
  });
