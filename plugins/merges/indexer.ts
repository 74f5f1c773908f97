// What a search of the whole site finds of merge requests (document D, "Search"): title and description.
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
