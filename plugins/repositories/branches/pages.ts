// The pages of branches: the list with the distance of each from the default branch, and the question before deletion.
import { form, html, HtmlPage, maybe, oneOf, page, pageQuery, pageRules, readPage, shape, word } from 'hexforge/plugin';
import type { Html, RefusedForm, WebPage } from 'hexforge/plugin';
import { branchSorts, type Branch, type Repository } from 'hexforge/repositories';
import {
  button,
  disclosure,
  empty,
  field,
  filterBar,
  filterChoice,
  formError,
  icon,
  linkButton,
  list,
  pagination,
  pill,
  searchField,
  time,
} from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { confirmation } from '../pages/confirm.ts';
import { linkedTexts } from '../pages/commit-texts.ts';
import { asContent } from '../pages/forms.ts';
import type { Texts } from '../pages/texts.ts';
import {
  branchesPath,
  commitPath,
  comparePath,
  encoded,
  otherRefPath,
  repositoryPath,
  shownPath,
  treePath,
  within,
} from '../pages/links.ts';
import { chosenFor, shownFields, shownIn, shownQuery } from '../pages/other-ref.ts';
import { reading, sha, writing } from '../shapes.ts';

const writes = { place: 'repository', ...writing } as const;

const branchListQuery = shape({
  ...pageQuery,
  ...shownQuery,
  search: maybe(word().empty('').max(255)),
  sort: maybe(oneOf(...branchSorts).empty('')),
});

const sorts = [
  { value: '', label: 'By name' },
  { value: 'last_commit_at', label: 'Newest commit first' },
  { value: 'ahead', label: 'Most commits ahead first' },
  { value: 'behind', label: 'Most commits behind first' },
] as const;

const deletePath = (repository: Repository, name: string): string =>
  within(repository, `delete-branch/${encoded(name)}`);

const apart = (repository: Repository, { name, divergence: { ahead, behind } }: Branch): Html =>
  html`<a href="${comparePath(repository, repository.defaultBranch, name)}"
    >${String(ahead)} ahead, ${String(behind)} behind</a
  >`;

const newBranch = (repository: Repository, refused: RefusedForm | undefined): Html =>
  disclosure(
    'New branch',
    html`<form class="form" method="post" action="${branchesPath(repository)}">
      ${formError(refused, 'repositoryBranchCreate', 'name', 'base_ref')}
      ${field({ label: 'Name', name: 'name', required: true, autocomplete: 'off', refused })}
      ${field({
        label: 'Begins from',
        name: 'base_ref',
        value: repository.defaultBranch,
        hint: 'A branch, tag or commit',
        required: true,
        refused,
      })}
      ${button('Create branch', { kind: 'primary' })}
    </form>`,
    { kind: 'button', open: refused !== undefined },
  );

export const branchPages = (useCases: RepositoryUseCases, texts: Texts): readonly WebPage[] => [
  page({
    id: 'repositoryBranches',
    summary: 'The branches, each with its distance from the default branch',
    place: 'repository',
    path: '/branches',
    ...reading,
    query: branchListQuery,
    async run({ now }, { granted, query: { search, sort, show, path, ...query }, url, refused }) {
      const repository = granted.resource;
      const shown = shownIn({ show, path });
      const writable = granted.may('repo.write');
      const request = readPage(pageRules.capped(), query);
      const order = sort === undefined || sort === 'name' ? 'asc' : 'desc';
      const asked = { ...request, search, sort, order, includeDivergence: true } as const;
      const found = await (await useCases.branches(granted, asked)).read();
      const subjects = await linkedTexts(
        texts,
        granted,
        found.items.map(({ subject, oid }) => ({ text: subject, href: commitPath(repository, oid) })),
      );
      const rows = found.items.map((branch, index) => ({
        mark: icon('branch'),
        title: html`<a href="${shownPath(repository, branch.name, shown)}"><bdi>${branch.name}</bdi></a>
          ${branch.isDefault && pill('default', 'accent')} ${branch.isProtected && pill('protected')}`,
        about: html`<bdi>${subjects[index]}</bdi> · <bdi>${branch.author}</bdi> ${time(branch.committedAt, now)}`,
        end:
          !branch.isDefault &&
          html`<span class="apart">
            ${apart(repository, branch)}
            ${
              writable &&
              !branch.isProtected &&
              html`<a href="${deletePath(repository, branch.name)}" aria-label="Delete ${branch.name}">Delete</a>`
            }
          </span>`,
      }));
      return new HtmlPage({
        title: 'Branches',
        width: 'wide',
        main: html`<h1 class="skip">Branches</h1>
          ${chosenFor(repository, shown, 'branches')}
          ${filterBar(
            branchesPath(repository),
            [
              shownFields(shown),
              searchField('Find a branch', 'search', search ?? ''),
              filterChoice('Order', 'sort', sort ?? '', sorts),
            ],
            html`${linkButton('Compare', within(repository, 'compare'))} ${writable && newBranch(repository, refused)}`,
          )}
          ${
            rows.length > 0
              ? list(rows)
              : search === undefined
                ? empty(
                    'There is no branch yet',
                    html`The first push makes one: <a href="${repositoryPath(repository)}">the commands</a>`,
                  )
                : empty(
                    'No branch has this in its name',
                    html`<a href="${otherRefPath(repository, 'branches', shown)}">All branches</a>`,
                  )
          }
          ${pagination(url, { ...request, total: found.total })}`,
      });
    },
    forms: [
      form({
        ...writes,
        id: 'repositoryBranchCreate',
        summary: 'Creates a branch',
        path: '/branches',
        body: shape({ name: word(), base_ref: maybe(word()) }),
        async run(_call, { granted, body: { name, base_ref: baseRef } }) {
          await asContent(() => useCases.createBranch(granted, { name, baseRef }));
          return treePath(granted.resource, name);
        },
      }),
    ],
  }),
  page({
    ...writes,
    id: 'repositoryBranchDelete',
    summary: 'Asks whether to delete a branch',
    path: '/delete-branch/{branch*}',
    async run(_call, { granted, params: { branch: name }, refused }) {
      const repository = granted.resource;
      const commit = await (await useCases.commits(granted, { ref: `refs/heads/${name}`, page: 1, perPage: 1 })).read();
      const [tip] = commit.items;
      return confirmation({
        title: html`Delete the branch <bdi>${name}</bdi>?`,
        pageTitle: `Delete ${name}`,
        about: html`Commits that no other branch or tag has can then no longer be reached.
          <a href="${comparePath(repository, repository.defaultBranch, name)}">Compare it</a> with
          <bdi>${repository.defaultBranch}</bdi> first.`,
        action: deletePath(repository, name),
        fields: { at: tip?.oid ?? '' },
        label: 'Delete branch',
        cancel: branchesPath(repository),
        refused,
      });
    },
    forms: [
      form({
        ...writes,
        id: 'repositoryBranchDeleteForm',
        summary: 'Deletes a branch',
        path: '/delete-branch/{branch*}',
        body: shape({ at: sha() }),
        async run(_call, { granted, params: { branch: name }, body: { at } }) {
          await asContent(() => useCases.deleteBranch(granted, { name, at }));
          return branchesPath(granted.resource);
        },
      }),
    ],
  }),
];
