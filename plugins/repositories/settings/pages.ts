// The general settings of a repository: its record, the settings that plugins declare, its name, and its deletion.
import { camelCased, changes, Conflict, form, html, HtmlPage, Joi, page, shape, word } from 'hexforge/plugin';
import type { Granted, Html, RefusedForm, TypeOf, User, WebPage } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import { button, checkBox, field, formError, group, onlyChanged, refusedIn, select, shownValues } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { branchNames } from '../branches/branch-names.ts';
import { asContent, shownMember, visibilityChoices } from '../pages/forms.ts';
import { within } from '../pages/links.ts';
import { repositoryChangeBody, repositoryDeletionBody } from '../repositories/schemas.ts';

const owned = { place: 'repository', access: changes('repository', 'repo.own'), scope: 'repo.admin' } as const;
const administered = { place: 'repository', access: changes('repository', 'repo.admin'), scope: 'repo.admin' } as const;

type Administered = Granted<Repository, 'repo.admin', User>;
type Shown = Awaited<ReturnType<RepositoryUseCases['settings']['list']>>[number];

/** The values by key. A box that is not ticked is absent, and so is an empty text. */
const valuesBody = Joi.object<Readonly<Record<string, string>>>().pattern(Joi.string(), Joi.string());
const sentValue = ({ key, type }: Shown, body: Readonly<Record<string, string>>): string =>
  body[key] ?? (type === 'boolean' ? 'false' : '');

/** The message of a rename to a name in use, which has a code over REST. */
const nameInUse =
  (name: string) =>
  (error: unknown): never => {
    throw error instanceof Conflict && error.message === 'name_in_use'
      ? new Conflict('The name is in use', { detail: `"name": "${name}" is in use` })
      : error;
  };

function settingField(
  { key, value, type, description, default: usual }: Shown,
  refused: RefusedForm | undefined,
): Html {
  const common = { name: key, refused };
  if (type === 'boolean') return checkBox({ ...common, label: description, value: value === 'true' });
  return field({
    ...common,
    label: description,
    type: type === 'integer' ? 'number' : 'text',
    value,
    hint: usual === '' ? undefined : `Default: ${usual}`,
  });
}

export function settingPages(useCases: RepositoryUseCases): readonly WebPage[] {
  const { settings } = useCases;
  const path = (repository: Repository, action = ''): string => within(repository, `settings${action}`);

  const record = async (granted: Administered, refused: RefusedForm | undefined): Promise<Html> => {
    const repository = granted.resource;
    const about = {
      description: repository.description,
      visibility: repository.visibility,
      default_branch: repository.defaultBranch,
      issue_code: repository.issueCode,
    };
    return html`<form class="form" method="post" action="${path(repository)}">
      ${formError(refused, 'repositoryGeneralForm', ...Object.keys(about))} ${shownValues(about, refused)}
      ${field({ label: 'Description', name: 'description', value: about.description, refused })}
      ${select({
        label: 'Who can read it',
        name: 'visibility',
        value: about.visibility,
        choices: visibilityChoices(),
        refused,
      })}
      ${field({
        label: 'Default branch',
        name: 'default_branch',
        value: about.default_branch,
        suggestions: await branchNames(useCases, granted),
        hint: 'The branch that is shown first, and that merge requests go into',
        required: true,
        refused,
      })}
      ${field({
        label: 'Issue code',
        name: 'issue_code',
        value: about.issue_code,
        hint: 'Optional, such as ABC: issues are then also called ABC-7',
        refused,
      })}
      ${button('Save', { kind: 'primary' })}
    </form>`;
  };

  const declared = async (granted: Administered, refused: RefusedForm | undefined): Promise<Html | false> => {
    const all = await settings.list(granted);
    return (
      all.length > 0 &&
      group(
        'Behaviour',
        '',
        html`<form class="form" method="post" action="${path(granted.resource, '/values')}">
          ${formError(refused, 'repositorySettingsForm', ...all.map(({ key }) => key))}
          ${shownValues(Object.fromEntries(all.map(({ key, value }) => [key, value])), refused)}
          ${all.map((setting) => settingField(setting, refused))} ${button('Save behaviour')}
        </form>`,
      )
    );
  };

  const ownersPart = (repository: Repository, refused: RefusedForm | undefined): Html => {
    const full = `${repository.owner}/${repository.name}`;
    return html`${group(
      'Rename',
      'The address changes. Clones need the new URL; the old one stops working.',
      html`<form class="form" method="post" action="${path(repository, '/rename')}">
        ${formError(refused, 'repositoryRenameForm', 'name')}
        ${field({
          label: 'New name',
          name: 'name',
          value: repository.name,
          required: true,
          autocomplete: 'off',
          refused: refusedIn(refused, 'repositoryRenameForm'),
        })}
        ${button('Rename')}
      </form>`,
    )}
    ${group(
      'Delete',
      'Deletes the repository with its files, issues and merge requests. This cannot be undone.',
      html`<form class="form" method="post" action="${path(repository, '/delete')}">
        ${formError(refused, 'repositoryDeleteForm', 'confirmation')}
        ${field({
          label: `Type ${full} to confirm`,
          name: 'confirmation',
          required: true,
          autocomplete: 'off',
          refused: refusedIn(refused, 'repositoryDeleteForm'),
        })}
        ${button('Delete this repository', { kind: 'danger' })}
      </form>`,
    )}`;
  };

  return [
    page({
      ...administered,
      id: 'repositorySettings',
      summary: 'The general settings of a repository',
      path: '/settings',
      async run(_call, { granted, refused }) {
        const repository = granted.resource;
        const owns = granted.may('repo.own');
        return new HtmlPage({
          title: 'Settings',
          width: 'wide',
          main: html`<h1>General</h1>
            <section class="group">
              ${
                owns
                  ? await record(granted, refusedIn(refused, 'repositoryGeneralForm'))
                  : html`<p>
                        <bdi>${repository.description}</bdi> · ${repository.visibility} · ${repository.defaultBranch}
                      </p>
                      <p class="muted">The owner and the administrators of the instance change these.</p>`
              }
            </section>
            ${await declared(granted, refusedIn(refused, 'repositorySettingsForm'))}
            ${owns && ownersPart(repository, refused)}`,
        });
      },
      forms: [
        form({
          ...owned,
          id: 'repositoryGeneralForm',
          summary: 'Changes description, visibility, default branch and issue code',
          path: '/settings',
          body: repositoryChangeBody.append<TypeOf<typeof repositoryChangeBody> & { readonly shown?: string }>({
            shown: shownMember(),
          }),
          async run(_call, { granted, body: { name: _own, is_private: _deprecated, shown, ...body } }) {
            // An empty field is absent.
            const command = camelCased(onlyChanged({ description: '', issue_code: '', ...body }, shown));
            return path(await asContent(() => useCases.update(granted, command)));
          },
        }),
        form({
          ...administered,
          id: 'repositorySettingsForm',
          summary: 'Changes the settings that plugins declare',
          path: '/settings/values',
          body: valuesBody,
          async run(_call, { granted, body }) {
            const all = await settings.list(granted);
            const sent = Object.fromEntries(all.map((setting) => [setting.key, sentValue(setting, body)]));
            const changed = Object.entries(onlyChanged(sent, body['shown'])).map(([key, value = '']) => ({
              key,
              value,
            }));
            await asContent(() => settings.write(granted, changed));
            return path(granted.resource);
          },
        }),
        form({
          ...owned,
          id: 'repositoryRenameForm',
          summary: 'Renames a repository',
          path: '/settings/rename',
          body: shape({ name: word() }),
          async run(_call, { granted, body }) {
            return path(await asContent(() => useCases.update(granted, body).catch(nameInUse(body.name))));
          },
        }),
        form({
          ...owned,
          id: 'repositoryDeleteForm',
          summary: 'Deletes a repository',
          path: '/settings/delete',
          body: repositoryDeletionBody,
          async run(_call, { granted, body }) {
            await useCases.delete(granted, body);
            return '/';
          },
        }),
      ],
    }),
  ];
}
