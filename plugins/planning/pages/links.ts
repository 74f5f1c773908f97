// The paths of the pages of labels and milestones, and the links between them.
import type { Html, Markup } from 'hexforge/plugin';
import type { IssuePages } from 'hexforge/planning';
import { repositoryPage as within, type Repository } from 'hexforge/repositories';
import { tabs } from 'hexforge/ui';
import type { LabelUseCases, MilestoneUseCases } from '#core/planning/use-cases';

/** The parts that the pages of this plugin need. */
export interface PageParts {
  readonly labels: LabelUseCases;
  readonly milestones: MilestoneUseCases;
  readonly markup: Markup | undefined;
  /** The pages of issues; undefined if the plugin "issues" is disabled. */
  readonly issuePages: () => IssuePages | undefined;
}

type Named = Pick<Repository, 'owner' | 'name'>;

export { within };

export const milestonePath = (repository: Named, { id }: { readonly id: string }, part = ''): string =>
  within(repository, `milestones/${id}${part}`);

/** The pages beside this one. Those of issues are first and last, as on their own pages. */
export function navigation(
  repository: Named,
  { issuePages }: Pick<PageParts, 'issuePages'>,
  current: 'labels' | 'milestones',
): Html {
  const [first, ...last] = issuePages()?.beside ?? [];
  const own = [
    { title: 'Labels', path: 'labels' },
    { title: 'Milestones', path: 'milestones' },
  ];
  return tabs(
    'Pages of issues',
    [...(first === undefined ? [] : [first]), ...own, ...last].map(({ title, path }) => ({
      title,
      href: within(repository, path),
      current: path === current,
    })),
    'section',
  );
}
