// The indexer by which the site-wide search finds merge requests by title and description.
import { numberedIndexer, type Indexer } from 'hexforge/plugin';
import { mergeStates } from 'hexforge/merges';
import type { MergeUseCases } from '#core/merges/use-cases';

export const mergeIndexer = ({ indexed }: Pick<MergeUseCases, 'indexed'>): Indexer =>
  numberedIndexer({
    name: 'mrs',
    description: 'Merge requests by title and description',
    scope: 'repo.read',
    hit: 'MergeHitSource',
    states: mergeStates,
    idMember: 'merge_request_id',
    follows: ['merge.opened', 'merge.updated', 'merge.closed', 'merge.reopened', 'merge.merged'],
    indexed,
  });
