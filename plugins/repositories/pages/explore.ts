// Lists of repositories: the page that finds those that the caller can read, and the card of the dashboard.
import {
  anyone,
  html,
  HtmlPage,
  page,
  readPage,
  shape,
  type Call,
  type DashboardCard,
  type Html,
  type WebPage,
} from 'hexforge/plugin';
import { listRule, visibilities, type Repository, type RepositorySort } from 'hexforge/repositories';
import {
  empty,
  filterBar,
  filterChoice,
  icon,
  linkButton,
  list,
  pagination,
  pill,
  searchField,
  time,
} from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { repositoryFilters } from '../repositories/schemas.ts';
import { repositoryPath } from './links.ts';

const perPage = 25;
/** The repositories of the dashboard. */
const mostOfCard = 10;

export const repositoryList = (repositories: readonly Repository[], now: Date, sort?: RepositorySort): Html =>
  list(
    repositories.map((repository) => ({
      mark: icon('folder'),
      title: html`<a href="${repositoryPath(repository)}"><bdi>${repository.owner}/${repository.name}</bdi></a>
        ${repository.visibility !== 'public' && pill(repository.visibility)}`,
      about: repository.description === '' ? undefined : html`<bdi>${repository.description}</bdi>`,
      end:
        sort === 'created'
          ? html`created ${time(repository.createdAt, now)}`
          : html`changed ${time(repository.updatedAt, now)}`,
    })),
  );

const sortChoices = [
  { value: 'updated', label: 'Last changed' },
  { value: 'created', label: 'Newest' },
  { value: 'name', label: 'Name' },
] as const satisfies readonly { readonly value: RepositorySort; readonly label: string }[];

const visibilityChoices = [
  { value: '', label: 'Any visibility' },
  ...visibilities.map((value) => ({ value, label: `Only ${value}` })),
];

const whoseChoices = [
  { value: '', label: 'All repositories' },
  { value: 'true', label: 'Those I take part in' },
];

const isSignedIn = ({ caller }: Call): boolean => caller.kind === 'user';

const newRepository = (call: Call): Html | false =>
  isSignedIn(call) && linkButton('New repository', '/-/new', { kind: 'primary' });

const search = (q = ''): Html => searchField('Search repositories', 'q', q);

export const explorePages = (useCases: RepositoryUseCases): readonly WebPage[] => [
  page({
    id: 'repositoryExplore',
    summary: 'Finds repositories that the caller can read',
    path: '/explore',
    access: anyone,
    scope: 'repo.read',
    query: shape(repositoryFilters),
    async run(call, { query, url }) {
      const { q, visibility, sort, involved } = query;
      const found = await useCases.list(call, {
        ...query,
        ...readPage(listRule(query), { ...query, per_page: perPage }),
      });
      const isFiltered = q !== undefined || visibility !== undefined || involved;
      return new HtmlPage({
        title: 'Explore',
        width: 'wide',
        main: html`<h1>Explore</h1>
          ${filterBar('/-/explore', [
            search(q),
            isSignedIn(call) && [
              filterChoice('Whose', 'involved', involved ? 'true' : '', whoseChoices),
              filterChoice('Visibility', 'visibility', visibility ?? '', visibilityChoices),
            ],
            filterChoice('Sort', 'sort', sort ?? 'updated', sortChoices),
          ])}
          ${
            found.items.length > 0
              ? repositoryList(found.items, call.now, sort)
              : isFiltered || found.page > 1
                ? empty('No repository matches', html`<a href="/-/explore">Show all</a>`)
                : empty('There is no repository that you can read', newRepository(call))
          }
          ${pagination(url, found)}`,
      });
    },
  }),
];

export const repositoryCards = (useCases: RepositoryUseCases): readonly DashboardCard[] => [
  {
    id: 'repositories',
    title: 'Repositories',
    order: 60,
    async run(call) {
      const involved = isSignedIn(call);
      const { items, more } = await useCases.list(call, { involved, perPage: involved ? mostOfCard : perPage });
      if (items.length === 0)
        return involved
          ? empty(
              'You take part in no repository yet',
              html`<div class="actions">
                ${newRepository(call)} ${linkButton('Explore those of others', '/-/explore')}
              </div>`,
            )
          : empty('There is no public repository yet', 'Sign in to see those of members.');
      const all = involved ? '/-/explore?involved=true' : '/-/explore';
      return html`${!involved && filterBar('/-/explore', search())} ${repositoryList(items, call.now)}
      ${more && html`<p class="quiet"><a href="${all}">All repositories</a></p>`}`;
    },
  },
];
