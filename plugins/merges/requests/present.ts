// Converts merge requests to JSON.
import { presenter } from 'hexforge/plugin';
import type { ListedRequest, MergeView } from 'hexforge/merges';
import type { CommitRecord } from 'hexforge/repositories';
import { diffFacts } from '../files/present.ts';
import { mergeItemJson, mergeJson, type MergeCommitJson } from './schemas.ts';

const names = { repo_id: 'repositoryId', source_repo: 'source' } as const;
const presentListed = presenter(mergeItemJson, names);
const presentWhole = presenter(mergeJson, names);

/** In lists, reviewers and labels are empty, counts are 0, and there is no diff. */
const blanks = {
  reviewers: [],
  labels: [],
  commitsCount: 0,
  additions: 0,
  deletions: 0,
  diff: '',
  diffSuppressed: false,
};
export const presentItem = (request: ListedRequest) => presentListed({ ...request, ...blanks });

export const presentMerge = ({ changes, sourceAccessLost, ...request }: MergeView) =>
  presentWhole({ ...request, ...diffFacts(changes), sourceAccessLost: sourceAccessLost || undefined });

export const presentCommit = ({ oid, message, author }: CommitRecord): MergeCommitJson => ({
  sha: oid,
  message,
  author: author.name,
  date: author.date.toISOString(),
});
