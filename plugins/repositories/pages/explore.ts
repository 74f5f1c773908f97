// Lists of repositories: the page that shows all that the caller can read, and the card of the dashboard.
import { anyone, html, HtmlPage, page, type DashboardCard, type Html, type WebPage } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import { empty, icon, list, pill, time } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { repositoryPath } from './links.ts';

export const repositoryList = (repositories: readonly Repository[], now: Date, head?: string): Html =>
  list(
    repositories.map((repository) => ({
      mark: icon('folder'),
      title: html`<a href="${repositoryPath(repository)}"><bdi>${repository.owner}/${repository.name}</bdi></a>
        ${repository.visibility !== 'public' && pill(repository.visibility)}`,
      about: repository.description === '' ? undefined : html`<bdi>${repository.description}</bdi>`,
      end: html`changed ${time(repository.updatedAt, now)}`,
    })),
    head,
  );

export const explorePages = (useCases: RepositoryUseCases): readonly WebPage[] => [
  page({
    id: 'repositoryExplore',
    summary: 'The repositories that the caller can read',
    path: '/explore',
    access: anyone,
    scope: 'repo.read',
    async run(call) {
      const found = await useCases.list(call, {});
      return new HtmlPage({
        title: 'Explore',
        width: 'wide',
        main: html`<h1>Explore</h1>
          ${found.length > 0 ? repositoryList(found, call.now) : empty('There is no repository that you can read')}`,
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
      const signedIn = call.caller.kind === 'user';
      const found = await useCases.list(call, { mine: signedIn });
      if (found.length > 0) return repositoryList(found, call.now);
      return signedIn
        ? empty('You have no repository yet', html`<a href="/-/explore">See those of others</a>`)
        : empty('There is no public repository yet');
    },
  },
];
