// The indexer by which the site-wide search finds issues by title and description.
import { numberedIndexer, type Indexer } from 'hexforge/plugin';
import { issueStates } from 'hexforge/issues';
import type { IssueUseCases } from '#core/issues/use-cases';

export const issueIndexer = ({ indexed }: Pick<IssueUseCases, 'indexed'>): Indexer =>
  numberedIndexer({
    name: 'issues',
    description: 'Issues by title and description',
    scope: 'issue.read',
    permission: 'issue.read',
    hit: 'IssueHitSource',
    states: issueStates,
    follows: ['issue.created', 'issue.updated', 'issue.closed', 'issue.reopened', 'issue.deleted'],
    indexed,
  });
