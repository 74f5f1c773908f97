// All use cases of the area for its own plugin, built once from its dependencies. Each takes a `Granted` and a command.
import { indexedThings } from '#core/repositories/index';
import { closeIssue, reopenIssue } from './close-issue.ts';
import { commentUseCases } from './comments.ts';
import { createIssue } from './create-issue.ts';
import { deleteIssue } from './delete-issue.ts';
import { descriptionHistoryUseCases } from './description-history.ts';
import { fetchIssue } from './fetch-issue.ts';
import { issueTypeUseCases } from './issue-types.ts';
import { linkUseCases } from './links.ts';
import { listChildren, listIssues, listPiece } from './list-issues.ts';
import { namedUseCases } from './named.ts';
import { milestoneCounts, repositoryCounters, userReferences } from './offers.ts';
import type { IssueParts } from './parts.ts';
import { searchIssues } from './search.ts';
import { clearParent, setParent } from './set-parent.ts';
import { typeSchemeUseCases } from './type-scheme.ts';
import { updateIssue } from './update-issue.ts';
import type { VersionMembers } from './version.ts';
import { unwatchIssue, watchIssue } from './watching.ts';

export type { SearchResult } from './search.ts';

export type IssueUseCases = ReturnType<typeof issueUseCases>;

export function issueUseCases(parts: IssueParts) {
  return {
    create: createIssue(parts),
    list: listIssues(parts),
    listPiece: listPiece(parts),
    search: searchIssues(parts),
    indexed: indexedThings(parts),
    fetch: fetchIssue(parts),
    update: updateIssue(parts),
    close: closeIssue(parts),
    reopen: reopenIssue(parts),
    delete: deleteIssue(parts),
    children: listChildren(parts),
    setParent: setParent(parts),
    clearParent: clearParent(parts),
    watch: watchIssue(parts),
    unwatch: unwatchIssue(parts),
    comments: commentUseCases(parts),
    descriptionHistory: descriptionHistoryUseCases(parts),
    links: linkUseCases(parts),
    types: issueTypeUseCases(parts),
    typeScheme: typeSchemeUseCases(parts),
    components: namedUseCases<object>({ ...parts, rows: parts.components, noun: 'component' }),
    versions: namedUseCases<VersionMembers>({ ...parts, rows: parts.versions, noun: 'version' }),
    repositoryCounters: repositoryCounters(parts),
    userReferences: userReferences(parts),
    milestoneCounts: milestoneCounts(parts),
    dropLabel: (labelId: string) => parts.store.dropLabel(labelId),
    dropMilestone: (milestoneId: string) => parts.store.dropMilestone(milestoneId),
  };
}
