// The paths of the pages of issues, and the links between them.
import type { Html, Markup } from 'hexforge/plugin';
import { repositoryPage as within, type Repository } from 'hexforge/repositories';
import { tabs } from 'hexforge/ui';
import type { IssueUseCases } from '#core/issues/use-cases';

/** The parts that the pages of this plugin need. */
export interface PageParts {
  readonly useCases: IssueUseCases;
  readonly markup: Markup | undefined;
  /** Whether the plugin "planning" is enabled, whose pages are linked. */
  readonly planned: boolean;
}

type Named = Pick<Repository, 'owner' | 'name'>;

export { within };

export const issuesPath = (repository: Named): string => within(repository, 'issues');
/** @param part such as `edit`. */
export const issuePath = (repository: Named, number: number | string, part = ''): string =>
  `${issuesPath(repository)}/${encodeURIComponent(number)}${part === '' ? '' : `/${part}`}`;

/** The path with parameters; undefined and empty ones are left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** The query with the page of comments, which the pages and forms of a comment keep. */
export const talkQuery = (url: string): string =>
  withQuery('', { page: new URLSearchParams(url.split('?', 2)[1]).get('page') ?? undefined });

/** The pages beside the list of issues, and those of the plugin "planning" if it is enabled. */
export const navigation = (
  repository: Named,
  { planned }: Pick<PageParts, 'planned'>,
  current: 'issues' | 'components' | 'versions',
): Html =>
  tabs(
    'Pages of issues',
    [
      ['issues', 'Issues'] as const,
      ...(planned
        ? ([
            ['labels', 'Labels'],
            ['milestones', 'Milestones'],
          ] as const)
        : []),
      ['components', 'Components'] as const,
      ['versions', 'Versions'] as const,
    ].map(([path, title]) => ({ title, href: within(repository, path), current: path === current })),
    'section',
  );
