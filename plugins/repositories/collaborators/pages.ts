// The page of a repository's collaborators: who has access in which role.
import { changes, form, html, HtmlPage, page, shape, uuidPattern, ValidationFailed, word } from 'hexforge/plugin';
import type { RefusedForm, WebPage } from 'hexforge/plugin';
import { isRole, roles, type Collaborator, type Repository, type RoleTemplate } from 'hexforge/repositories';
import {
  button,
  empty,
  field,
  filterChoice,
  formError,
  group,
  linkButton,
  list,
  person,
  refusedIn,
  select,
  time,
} from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { confirmation } from '../pages/confirm.ts';
import { asContent } from '../pages/forms.ts';
import { within } from '../pages/links.ts';

const administered = { place: 'repository', access: changes('repository', 'repo.admin'), scope: 'repo.admin' } as const;
const owned = { place: 'repository', access: changes('repository', 'repo.own'), scope: 'repo.admin' } as const;

/** Each role contains the ones before it. */
const words: Readonly<Record<(typeof roles)[number], string>> = {
  read: 'Read: see and clone',
  triage: 'Triage: also manage issues',
  write: 'Write: also push and merge',
  maintain: 'Maintain: also protect branches',
  admin: 'Admin: also change settings and access',
};

/** The value of a choice for a template. */
const templateValue = (id: string): string => `template:${id}`;

const choicesOf = (templates: readonly RoleTemplate[], label: (role: (typeof roles)[number]) => string) => [
  ...roles.map((value) => ({ value: value as string, label: label(value) })),
  ...templates.map(({ id, name }) => ({ value: templateValue(id), label: name })),
];

/** The choices for a collaborator, whose custom role may have no template any more. */
function choicesFor({ collaboration }: Collaborator, templates: readonly RoleTemplate[]) {
  const { role, roleTemplateId } = collaboration;
  const all = choicesOf(templates, (name) => name);
  const value = isRole(role) ? role : templateValue(roleTemplateId ?? '');
  return all.some((choice) => choice.value === value)
    ? { value, choices: all }
    : { value, choices: [{ value, label: `${role} (custom)` }, ...all] };
}

/** The members of the command for the value of a choice. @throws {ValidationFailed} */
function givenRole(value: string): { readonly role: string } | { readonly roleTemplateId: string } {
  if (!value.startsWith(templateValue(''))) return { role: value };
  const roleTemplateId = value.slice(templateValue('').length);
  if (uuidPattern.test(roleTemplateId)) return { roleTemplateId };
  throw new ValidationFailed('This role is no longer offered', { detail: '"role" must be one of the offered roles' });
}

export function collaboratorPages({ collaborators, roleTemplates }: RepositoryUseCases): readonly WebPage[] {
  const path = (repository: Repository, action = ''): string => within(repository, `settings/access${action}`);
  const removePath = (repository: Repository, username: string): string =>
    path(repository, `/remove/${encodeURIComponent(username)}`);

  const addForm = (repository: Repository, templates: readonly RoleTemplate[], refused: RefusedForm | undefined) =>
    html`<form class="form" method="post" action="${path(repository)}">
      ${formError(refused, 'repositoryCollaboratorForm', 'user', 'role')}
      ${field({ label: 'Username', name: 'user', required: true, autocomplete: 'off', refused })}
      ${select({ label: 'Role', name: 'role', value: 'write', choices: choicesOf(templates, (role) => words[role]), refused })}
      ${button('Add', { kind: 'primary' })}
    </form>`;

  return [
    page({
      ...administered,
      id: 'repositoryAccess',
      summary: 'The collaborators of a repository and their roles',
      path: '/settings/access',
      async run({ now }, { granted, refused }) {
        const repository = granted.resource;
        const [all, templates] = await Promise.all([collaborators.list(granted), roleTemplates.list(granted)]);
        const owns = granted.may('repo.own');
        const rows = all.map((one) => {
          const { username } = one.user;
          const { value, choices } = choicesFor(one, templates);
          return {
            title: person(username),
            about: html`since ${time(one.createdAt, now)}`,
            end: html`<form class="filter" method="post" action="${path(repository)}">
              <input type="hidden" name="user" value="${username}" />
              ${filterChoice(`Role of ${username}`, 'role', value, choices)} ${button('Save')}
              ${owns && linkButton('Remove', removePath(repository, username), { kind: 'danger' })}
            </form>`,
          };
        });
        return new HtmlPage({
          title: 'Access',
          width: 'wide',
          main: html`<h1>Access</h1>
            <section class="group">
              <p class="muted"><bdi>${repository.owner}</bdi> owns this repository and may do everything.</p>
              ${rows.length > 0 ? list(rows) : empty('Nobody else has a role here', 'Add somebody below.')}
            </section>
            ${group(
              'Add a collaborator',
              '',
              addForm(repository, templates, refusedIn(refused, 'repositoryCollaboratorForm')),
            )}`,
        });
      },
      forms: [
        form({
          ...administered,
          access: changes('repository', 'repo.admin', { orAdminScope: 'admin:repo_roles' }),
          id: 'repositoryCollaboratorForm',
          summary: 'Adds a collaborator, or changes the role of one',
          path: '/settings/access',
          body: shape({ user: word().max(255), role: word().max(100) }),
          async run(_call, { granted, body: { user: username, role } }) {
            const given = givenRole(role);
            await asContent(() => collaborators.put(granted, { username, ...given }), { role_template_id: 'role' });
            return path(granted.resource);
          },
        }),
      ],
    }),
    page({
      ...owned,
      id: 'repositoryCollaboratorRemove',
      summary: 'Asks whether to remove a collaborator',
      path: '/settings/access/remove/{user}',
      run: (_call, { granted, params: { user }, refused }) =>
        confirmation({
          title: html`Remove <bdi>${user}</bdi>?`,
          pageTitle: `Remove ${user}`,
          about: html`<bdi>${user}</bdi> loses the role in this repository. What they wrote stays.`,
          action: removePath(granted.resource, user),
          label: 'Remove',
          cancel: path(granted.resource),
          refused,
        }),
      forms: [
        form({
          ...owned,
          id: 'repositoryCollaboratorRemoveForm',
          summary: 'Removes a collaborator',
          path: '/settings/access/remove/{user}',
          body: shape({}),
          async run(_call, { granted, params: { user } }) {
            await collaborators.remove(granted, { username: user });
            return path(granted.resource);
          },
        }),
      ],
    }),
  ];
}
