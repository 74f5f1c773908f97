// All use cases of the area for its own plugin, built once from its dependencies. Each takes a `Granted` and a command.
import { mayAlso } from '#core/kernel/access/also';
import type { UserReferences } from '#core/identity/index';
import type { IssuePages, MilestoneCounts } from '#core/planning/index';
import { indexedThings, type RepositoryCounters } from '#core/repositories/index';
import { closeIssue, reopenIssue } from './changes/close-issue.ts';
import { commentUseCases } from './discussion/comments.ts';
import { createIssue } from './changes/create-issue.ts';
import { deleteIssue } from './changes/delete-issue.ts';
import { descriptionHistoryUseCases } from './changes/description-history.ts';
import { fetchIssue } from './changes/fetch-issue.ts';
import { issueTypeUseCases } from './catalogue/issue-types.ts';
import { linkUseCases } from './discussion/links.ts';
import { assigneesNamed, issueChoices } from './lists/choices.ts';
import { listChildren, listFamily, listIssues, listPiece, listWithCounts } from './lists/list-issues.ts';
import { listMine } from './lists/mine.ts';
import { namedUseCases } from './catalogue/named.ts';
import type { IssueState } from './model/issue.ts';
import type { IssueParts } from './model/parts.ts';
import { offeredIssues } from './offered.ts';
import { searchIssues } from './lists/search.ts';
import { issueTitles } from './lists/titles.ts';
import { clearParent, setParent } from './changes/set-parent.ts';
import { typeSchemeUseCases } from './catalogue/type-scheme.ts';
import { updateIssue } from './changes/update-issue.ts';
import type { VersionMembers } from './model/named.ts';
import { unwatchIssue, watchIssue } from './discussion/watching.ts';

export type { IssueChoices } from './lists/choices.ts';
export type { StateCounts } from './lists/list-issues.ts';
export type { FacetValues, SearchResult } from './lists/search.ts';

export type IssueUseCases = ReturnType<typeof issueUseCases>;

export function issueUseCases(parts: IssueParts) {
  const shown = { list: listIssues(parts), fetch: fetchIssue(parts), comments: commentUseCases(parts) };
  return {
    ...shown,
    offered: offeredIssues(parts, shown),
    create: createIssue(parts),
    listPiece: listPiece(parts),
    listWithCounts: listWithCounts(parts),
    listMine: listMine(parts),
    choices: issueChoices(parts),
    usersNamed: assigneesNamed(parts),
    search: searchIssues(parts),
    titles: issueTitles(parts),
    indexed: indexedThings(parts.store),
    update: updateIssue(parts),
    close: closeIssue(parts),
    reopen: reopenIssue(parts),
    delete: deleteIssue(parts),
    children: listChildren(parts),
    family: listFamily(parts),
    setParent: setParent(parts),
    clearParent: clearParent(parts),
    watch: watchIssue(parts),
    unwatch: unwatchIssue(parts),
    descriptionHistory: descriptionHistoryUseCases(parts),
    links: linkUseCases(parts),
    types: issueTypeUseCases(parts),
    typeScheme: typeSchemeUseCases(parts),
    components: namedUseCases<object>({ ...parts, rows: parts.components, noun: 'component' }),
    versions: namedUseCases<VersionMembers>({ ...parts, rows: parts.versions, noun: 'version' }),
    ...countsFor(parts),
    dropLabel: (labelId: string) => parts.store.dropLabel(labelId),
    dropMilestone: (milestoneId: string) => parts.store.dropMilestone(milestoneId),
  };
}

/** The counts that other areas show or need. */
const countsFor = ({
  store,
  access,
}: IssueParts): {
  readonly repositoryCounters: RepositoryCounters;
  readonly userReferences: UserReferences;
  readonly milestoneCounts: MilestoneCounts;
  readonly openIssues: (repositoryId: string) => Promise<number>;
  readonly ofMilestone: IssuePages['ofMilestone'];
} => ({
  repositoryCounters: {
    async counts(repositoryIds) {
      const open = await store.countOpen(repositoryIds);
      return new Map(repositoryIds.map((id) => [id, { openIssues: open.get(id) ?? 0 }]));
    },
  },
  userReferences: { what: 'issues, comments and descriptions', counts: (userIds) => store.countByAuthor(userIds) },
  openIssues: async (repositoryId) => (await store.countOpen([repositoryId])).get(repositoryId) ?? 0,
  milestoneCounts: { counts: (repositoryId, milestoneIds) => store.countByMilestone(repositoryId, milestoneIds) },
  async ofMilestone(granted, milestoneId, limit) {
    if (!(await mayAlso(access, granted, 'issue.read', 'issue.read'))) return undefined;
    const some = (state: IssueState) =>
      store.list(granted.resource.id, { milestoneId, state }, { order: 'newest', limit, offset: 0, texts: 0 });
    const [open, closed] = await Promise.all([some('open'), some('closed')]);
    return [...open, ...closed].slice(0, limit);
  },
});
