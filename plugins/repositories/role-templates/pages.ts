// The pages of role templates: named sets of permissions, which are given to collaborators.
import { changes, form, found, html, HtmlPage, Joi, page, shape, word } from 'hexforge/plugin';
import type { Granted, Html, RefusedForm, User, WebPage } from 'hexforge/plugin';
import type { Repository, RoleTemplate } from 'hexforge/repositories';
import { button, empty, field, formError, group, linkButton, list, onlyChanged, shownValues } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { confirmation } from '../pages/confirm.ts';
import { asContent, shownMember } from '../pages/forms.ts';
import { within } from '../pages/links.ts';
import { permissions } from './schemas.ts';
import { permissionWords } from './words.ts';

const administered = { place: 'repository', access: changes('repository', 'repo.admin'), scope: 'repo.admin' } as const;

type Administered = Granted<Repository, 'repo.admin', User>;

/** A single ticked box is one text. */
const templateForm = shape({
  name: word().max(100),
  permissions: permissions().single().default([]),
  shown: shownMember(),
});
const templateParams = shape({ id: Joi.string().uuid() });

export function roleTemplatePages({ roleTemplates }: RepositoryUseCases): readonly WebPage[] {
  const path = (repository: Repository, action = ''): string => within(repository, `settings/roles${action}`);
  const one = async (granted: Administered, id: string): Promise<RoleTemplate> =>
    found((await roleTemplates.list(granted)).find((template) => template.id === id));

  /** A box for each permission that the caller may give, and for those that the template has. */
  const fields = (
    granted: Administered,
    template: RoleTemplate | undefined,
    refused: RefusedForm | undefined,
  ): Html => {
    const sent = refused?.values['permissions'];
    const ticked = new Set(refused === undefined ? template?.permissions : [sent ?? []].flat());
    const all = [...new Set([...roleTemplates.permissions(granted), ...(template?.permissions ?? [])])];
    return html`${field({
        label: 'Name',
        name: 'name',
        value: template?.name,
        required: true,
        autocomplete: 'off',
        refused,
      })}
      <fieldset class="field">
        <legend>Permissions</legend>
        <div class="choices">
          ${all.map(
            (name) =>
              html`<label class="choice" title="${name}"
                ><input
                  type="checkbox"
                  name="permissions"
                  value="${name}"
                  ${ticked.has(name) && html`checked`}
                />${permissionWords(name)}</label
              >`,
          )}
        </div>
        ${refused?.field === 'permissions' && html`<p class="error">${refused.detail}</p>`}
      </fieldset>`;
  };

  return [
    page({
      ...administered,
      id: 'repositoryRoles',
      summary: 'The role templates of a repository',
      path: '/settings/roles',
      async run(_call, { granted, refused }) {
        const repository = granted.resource;
        const all = await roleTemplates.list(granted);
        return new HtmlPage({
          title: 'Roles',
          width: 'wide',
          main: html`<h1>Roles</h1>
            ${group(
              'Roles of this repository',
              'Beside Read, Triage, Write, Maintain and Admin. Collaborators keep the permissions they were given when a role changes.',
              all.length > 0
                ? list(
                    all.map(({ id, name, permissions: names }) => ({
                      title: html`<a href="${path(repository, `/${id}`)}"><bdi>${name}</bdi></a>`,
                      about: names.map(permissionWords).join(' · '),
                    })),
                  )
                : empty(
                    'There is no role of your own yet',
                    'A role is a set of permissions that collaborators can be given.',
                  ),
            )}
            ${group(
              'New role',
              '',
              html`<form class="form" method="post" action="${path(repository)}">
                ${formError(refused, 'repositoryRoleCreate', 'name', 'permissions')}
                ${fields(granted, undefined, refused)} ${button('Create role', { kind: 'primary' })}
              </form>`,
            )}`,
        });
      },
      forms: [
        form({
          ...administered,
          id: 'repositoryRoleCreate',
          summary: 'Creates a role template',
          path: '/settings/roles',
          body: templateForm,
          async run(_call, { granted, body: { shown: _shown, ...body } }) {
            await asContent(() => roleTemplates.create(granted, body));
            return path(granted.resource);
          },
        }),
      ],
    }),
    page({
      ...administered,
      id: 'repositoryRole',
      summary: 'One role template',
      path: '/settings/roles/{id}',
      params: templateParams,
      async run(_call, { granted, params: { id }, refused }) {
        const repository = granted.resource;
        const template = await one(granted, id);
        return new HtmlPage({
          title: template.name,
          width: 'wide',
          main: html`<h1><bdi>${template.name}</bdi></h1>
            <form class="form" method="post" action="${path(repository, `/${id}`)}">
              ${formError(refused, 'repositoryRoleUpdate', 'name', 'permissions')}
              ${shownValues({ name: template.name, permissions: template.permissions }, refused)}
              ${fields(granted, template, refused)}
              <div class="actions">
                ${button('Save', { kind: 'primary' })} ${linkButton('Cancel', path(repository))}
                ${linkButton('Delete…', path(repository, `/${id}/delete`), { kind: 'danger' })}
              </div>
            </form>`,
        });
      },
      forms: [
        form({
          ...administered,
          id: 'repositoryRoleUpdate',
          summary: 'Changes a role template',
          path: '/settings/roles/{id}',
          body: templateForm,
          async run(_call, { granted, params: { id }, body: { shown, ...body } }) {
            await one(granted, id);
            await asContent(() => roleTemplates.update(granted, { id, ...onlyChanged(body, shown) }));
            return path(granted.resource);
          },
        }),
      ],
    }),
    page({
      ...administered,
      id: 'repositoryRoleDelete',
      summary: 'Asks whether to delete a role template',
      path: '/settings/roles/{id}/delete',
      params: templateParams,
      async run(_call, { granted, params: { id }, refused }) {
        const { name } = await one(granted, id);
        return confirmation({
          title: html`Delete the role <bdi>${name}</bdi>?`,
          pageTitle: `Delete ${name}`,
          about: 'Collaborators who have it keep their permissions.',
          action: path(granted.resource, `/${id}/delete`),
          label: 'Delete role',
          cancel: path(granted.resource, `/${id}`),
          refused,
        });
      },
      forms: [
        form({
          ...administered,
          id: 'repositoryRoleDeleteForm',
          summary: 'Deletes a role template',
          path: '/settings/roles/{id}/delete',
          body: shape({}),
          async run(_call, { granted, params: { id } }) {
            await roleTemplates.delete(granted, { id });
            return path(granted.resource);
          },
        }),
      ],
    }),
  ];
}
