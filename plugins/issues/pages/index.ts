// All contributions of the plugin "issues" to the web interface.
import { superAdmin, type DashboardCard, type MenuEntry, type RepositoryTab, type WebPage } from 'hexforge/plugin';
import type { IssuePages } from 'hexforge/planning';
import type { IssueUseCases } from '#core/issues/use-cases';
import { editPages } from './edit-pages.ts';
import { historyPages } from './history-pages.ts';
import { issuePage } from './issue-page.ts';
import { withQuery, type PageParts } from './links.ts';
import { issueListPage } from './list-page.ts';
import { mineCard } from './mine-card.ts';
import { componentPages, versionPages } from './named-pages.ts';
import { newIssuePage } from './new-page.ts';
import { schemePage } from './scheme-page.ts';
import { issueSearchPage } from './search-page.ts';
import { typePages, typesPath } from './type-pages.ts';

export const issuePages = (parts: PageParts): readonly WebPage[] => [
  issueListPage(parts),
  issueSearchPage(parts),
  newIssuePage(parts),
  issuePage(parts),
  ...editPages(parts),
  ...historyPages(parts),
  ...componentPages(parts),
  ...versionPages(parts),
  schemePage(parts),
  ...typePages(parts),
];

export const issueTabs = ({ openIssues }: IssueUseCases): readonly RepositoryTab[] => [
  {
    id: 'issues',
    title: 'Issues',
    path: '/issues',
    currentOn: ['/labels', '/milestones', '/components', '/versions'],
    permission: 'issue.read',
    order: 20,
    key: 'i',
    count: openIssues,
  },
  {
    id: 'issue-types',
    title: 'Issue types',
    path: '/settings/issue-types',
    menu: 'settings',
    permission: 'repo.admin',
    order: 60,
  },
];

export const issueMenu: readonly MenuEntry[] = [
  { id: 'issue-types', title: 'Issue types', path: typesPath, menu: 'admin', access: superAdmin, order: 60 },
];

export const issueCards = (parts: PageParts): readonly DashboardCard[] => [mineCard(parts)];

/** The links of the pages of labels and milestones to those of issues. */
export const linkedPages = ({ ofMilestone }: IssueUseCases): IssuePages => ({
  beside: [
    { title: 'Issues', path: 'issues' },
    { title: 'Components', path: 'components' },
    { title: 'Versions', path: 'versions' },
  ],
  issue: (number) => `issues/${number}`,
  list: (filter) =>
    'label' in filter
      ? withQuery('issues', { label: filter.label })
      : withQuery('issues', { milestone_id: filter.milestone, state: 'all' }),
  ofMilestone,
});
