// All use cases of the area for its own plugin, built once from its dependencies. Each takes a `Granted` or a call, and
// a command.
import { archiveOf } from './archive.ts';
import { blameFile } from './blame.ts';
import { createBranch, deleteBranch, listBranches } from './branches.ts';
import { effectivePermissions, listCollaborators, putCollaborator, removeCollaborator } from './collaborators.ts';
import { fetchCommit, listCommits } from './commits.ts';
import { compareRefs } from './compare.ts';
import { contents, rawFile } from './contents.ts';
import { createRepository } from './create.ts';
import { deleteRepository } from './delete.ts';
import { fetchRepository, recordRepository } from './record.ts';
import { forkRepository, listForks } from './forks.ts';
import { repositoryLanguages } from './language-statistics.ts';
import { listRepositories } from './list.ts';
import { maintenance } from './maintenance.ts';
import { merging } from './merging.ts';
import { mergeHeads } from './merge-heads.ts';
import type { RepositoryCounters } from './offers.ts';
import type { RepositoryParts } from './parts.ts';
import { protectBranch, protectionOf, unprotectBranch } from './protections.ts';
import { pruneDue } from './prune.ts';
import { pushes } from './push.ts';
import { reconciler } from './reconciliation.ts';
import { createRoleTemplate, deleteRoleTemplate, listRoleTemplates, updateRoleTemplate } from './role-templates.ts';
import { lateRoleTable } from './roles.ts';
import { checkStarred, removeMark, setMark } from './stars.ts';
import { createTag, deleteTag, listTags } from './tags.ts';
import { updateRepository } from './update.ts';
import { writeContents } from './write-contents.ts';

export { offeredRepositories } from './offered.ts';
export { repositoryResolver } from './standing.ts';
export type RepositoryUseCases = ReturnType<typeof repositoryUseCases>;

export function repositoryUseCases(
  parts: RepositoryParts & { readonly counters: () => readonly RepositoryCounters[] },
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
    rawFile: rawFile(built),
    commits: listCommits(built),
    commit: fetchCommit(built),
    compare: compareRefs(built),
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
    protection: protectionOf(built),
    protectBranch: protectBranch(built),
    unprotectBranch: unprotectBranch(built),
    record: recordRepository(built),
    collaborators: listCollaborators(built),
    effectivePermissions: effectivePermissions(built),
    putCollaborator: putCollaborator(built),
    removeCollaborator: removeCollaborator(built),
    roleTemplates: listRoleTemplates(built),
    createRoleTemplate: createRoleTemplate(built),
    updateRoleTemplate: updateRoleTemplate(built),
    deleteRoleTemplate: deleteRoleTemplate(built),
    star: setMark(built, 'star'),
    unstar: removeMark(built, 'star'),
    checkStarred: checkStarred(built),
    watch: setMark(built, 'watch'),
    unwatch: removeMark(built, 'watch'),
    fork: forkRepository(built),
    forks: listForks(built),
    pushes: pushes(built),
    merging: merging(built),
    mergeHeads: mergeHeads(built),
    pruneDue: pruneDue(built),
    reconciler: settling,
    maintenance: upkeep,
  };
}
