// The forms that star and watch a repository.
import { changes, flag, form, html, shape, type Html, type PageForm } from 'hexforge/plugin';
import type { Repository, RepositoryRecord } from 'hexforge/repositories';
import { button } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { repositoryPath } from './links.ts';

export const markForms = (useCases: RepositoryUseCases): readonly PageForm[] =>
  (
    [
      ['repositoryStar', 'Stars a repository, or takes the star back', '/star', useCases.star, useCases.unstar],
      ['repositoryWatch', 'Watches a repository, or stops watching it', '/watch', useCases.watch, useCases.unwatch],
    ] as const
  ).map(([id, summary, path, set, remove]) =>
    form({
      id,
      summary,
      place: 'repository',
      path,
      access: changes('repository', 'repo.read'),
      scope: 'repo.read',
      body: shape({ on: flag() }),
      async run(_call, { granted, body: { on } }) {
        await (on ? set : remove)(granted);
        return repositoryPath(granted.resource);
      },
    }),
  );

const toggle = (repository: Repository, path: 'star' | 'watch', on: boolean, label: string): Html =>
  html`<form method="post" action="${repositoryPath(repository)}/-/${path}">
    ${button(label, { name: 'on', value: String(on) })}
  </form>`;

/** The buttons for the signed-in caller. */
export const markButtons = ({ repository, counts }: RepositoryRecord): Html =>
  html`${toggle(repository, 'star', !counts.starred, counts.starred ? 'Unstar' : 'Star')}
  ${toggle(repository, 'watch', !counts.watching, counts.watching ? 'Unwatch' : 'Watch')}`;
