// All use cases of the area for its own plugin, built once from its dependencies. Each takes a `Granted` or a call, and
// a command.
import { archiveOf } from './contents/archive.ts';
import { blameFile } from './contents/blame.ts';
import { createBranch, deleteBranch, listBranches } from './refs/branches.ts';
import { collaboratorUseCases } from './access/collaborators.ts';
import { fetchCommit, listCommits } from './contents/commits.ts';
import { compareRefs } from './contents/compare.ts';
import { contents, folder, locate, rawFile } from './contents/contents.ts';
import { createRepository } from './lifecycle/create.ts';
import { deleteRepository } from './lifecycle/delete.ts';
import { fetchRepository, recordRepository, sizeOf } from './lifecycle/record.ts';
import { diffOfFile } from './contents/file-diff.ts';
import { findFiles } from './contents/find-files.ts';
import { forkRepository, listForks, readableParent } from './lifecycle/forks.ts';
import { readLines } from './contents/lines.ts';
import { repositoryLanguages } from './contents/language-statistics.ts';
import { listRepositories } from './lifecycle/list.ts';
import { maintenance } from './push/maintenance.ts';
import { merging } from './refs/merging.ts';
import { mergeHeads } from './refs/merge-heads.ts';
import { namedCommits } from './contents/named-commits.ts';
import type { KeptRequests, RepositoryCounters } from './model/offers.ts';
import type { RepositoryParts } from './model/parts.ts';
import { protectionUseCases } from './access/protections.ts';
import { pruneDue } from './push/prune.ts';
import { pushes } from './push/push.ts';
import { reconciler } from './push/reconciliation.ts';
import { roleTemplateUseCases } from './access/role-templates.ts';
import { lateRoleTable } from './model/roles.ts';
import { repositorySettingUseCases } from './lifecycle/settings.ts';
import { changeMark, checkStarred } from './lifecycle/stars.ts';
import { createTag, deleteTag, listTags } from './refs/tags.ts';
import { walkTree } from './contents/tree-walk.ts';
import { updateRepository } from './lifecycle/update.ts';
import { writeContents } from './contents/write-contents.ts';

export { offeredRepositories } from './access/offered.ts';
export { profileList } from './access/profile-list.ts';
export { repositoryResolver } from './access/standing.ts';
export type RepositoryUseCases = ReturnType<typeof repositoryUseCases>;

export function repositoryUseCases(
  parts: RepositoryParts & {
    readonly counters: () => readonly RepositoryCounters[];
    readonly keptRequests: () => KeptRequests | undefined;
  },
) {
  const upkeep = maintenance(parts);
  const settling = reconciler({ ...parts, maintenance: upkeep });
  const built = {
    ...parts,
    maintenance: upkeep,
    reconciler: settling,
    comingRefs: new Map(),
    roleTable: lateRoleTable(parts.permissionTable),
  };
  return {
    create: createRepository(built),
    list: listRepositories(built),
    fetch: fetchRepository(built),
    update: updateRepository(built),
    delete: deleteRepository(built),
    contents: contents(built),
    folder: folder(built),
    locate: locate(built),
    rawFile: rawFile(built),
    findFiles: findFiles(built),
    commits: listCommits(built),
    commit: fetchCommit(built),
    namedCommits: namedCommits(built),
    compare: compareRefs(built),
    lines: readLines(built),
    walk: walkTree(built),
    fileDiff: diffOfFile(built),
    size: sizeOf(built),
    blame: blameFile(built),
    archive: archiveOf(built),
    languages: repositoryLanguages(built),
    writeContents: writeContents(built),
    branches: listBranches(built),
    createBranch: createBranch(built),
    deleteBranch: deleteBranch(built),
    tags: listTags(built),
    createTag: createTag(built),
    deleteTag: deleteTag(built),
    protections: protectionUseCases(built),
    settings: repositorySettingUseCases(built),
    record: recordRepository(built),
    collaborators: collaboratorUseCases(built),
    roleTemplates: roleTemplateUseCases(built),
    star: changeMark(built, 'set', 'star'),
    unstar: changeMark(built, 'remove', 'star'),
    checkStarred: checkStarred(built),
    watch: changeMark(built, 'set', 'watch'),
    unwatch: changeMark(built, 'remove', 'watch'),
    fork: forkRepository(built),
    forks: listForks(built),
    parent: readableParent(built),
    pushes: pushes(built),
    merging: merging(built),
    mergeHeads: mergeHeads(built),
    pruneDue: pruneDue(built),
    reconciler: settling,
    maintenance: upkeep,
  };
}
