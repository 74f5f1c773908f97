// Converts issues to JSON.
import { presenter } from 'hexforge/plugin';
import type { IssueDetail, IssueView } from 'hexforge/issues';
import { issueItemJson, issueJson } from './schemas.ts';

const names = { repo_id: 'repositoryId', issue_status: 'status', issue_type: 'type' } as const;
const presentListed = presenter(issueItemJson, names);
const presentWhole = presenter(issueJson, names);

export const presentItem = (issue: IssueView) => presentListed({ ...issue, linksCount: 0, watchersCount: 0 });

export const presentIssue = (issue: IssueView & IssueDetail) =>
  presentWhole({ ...issue, linksCount: issue.links, watchersCount: issue.watchers });
