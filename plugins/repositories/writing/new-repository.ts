// The page on which a repository is created.
import { form, html, HtmlPage, page, signedIn, type WebPage } from 'hexforge/plugin';
import { button, field, formError, select } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { visibilityChoices } from '../pages/forms.ts';
import { repositoryPath } from '../pages/links.ts';
import { repositoryBody } from '../repositories/schemas.ts';

const allowed = { access: signedIn, scope: 'repo.write' } as const;

export const newRepositoryPages = (useCases: RepositoryUseCases): readonly WebPage[] => [
  page({
    id: 'repositoryNew',
    summary: 'The form for a new repository',
    path: '/new',
    ...allowed,
    run: ({ caller }, { refused }) =>
      new HtmlPage({
        title: 'New repository',
        width: 'wide',
        main: html`<h1>New repository</h1>
          <form class="form" method="post" action="/-/new">
            ${formError(refused, 'repositoryNewForm', 'owner', 'name', 'description', 'visibility', 'default_branch')}
            ${
              caller.isAdmin &&
              field({
                label: 'Owner',
                name: 'owner',
                value: caller.username,
                hint: 'Administrators of the instance may create repositories for other users.',
                required: true,
                refused,
              })
            }
            ${field({
              label: 'Name',
              name: 'name',
              hint: `Letters, digits, “-”, “_” and “.”. The address will be /${caller.username}/name.`,
              required: true,
              autocomplete: 'off',
              refused,
            })}
            ${field({ label: 'Description', name: 'description', hint: 'Optional, one line', refused })}
            ${select({
              label: 'Who can read it',
              name: 'visibility',
              value: 'private',
              choices: visibilityChoices(),
              refused,
            })}
            ${field({
              label: 'Default branch',
              name: 'default_branch',
              value: 'main',
              hint: 'The branch that is shown first',
              required: true,
              refused,
            })}
            ${button('Create repository', { kind: 'primary' })}
          </form>`,
      }),
    forms: [
      form({
        id: 'repositoryNewForm',
        summary: 'Creates a repository',
        path: '/new',
        ...allowed,
        body: repositoryBody,
        run: async (call, { body: { default_branch: defaultBranch, is_private: _deprecated, ...body } }) =>
          repositoryPath(await useCases.create(call, { ...body, defaultBranch })),
      }),
    ],
  }),
];
