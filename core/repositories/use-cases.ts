// All use cases of the area, built once from its parts.
import { archiveOf } from './archive.ts';
import { blameFile } from './blame.ts';
import { createBranch, deleteBranch, listBranches } from './branches.ts';
import { effectivePermissions, listCollaborators, putCollaborator, removeCollaborator } from './collaborators.ts';
import { fetchCommit, listCommits } from './commits.ts';
import { compareRefs } from './compare.ts';
import { contents, rawFile } from './contents.ts';
import { createRepository } from './create.ts';
import { deleteRepository } from './delete.ts';
import { fetchRepository, recordOf } from './fetch.ts';
import { forkRepository, listForks } from './forks.ts';
import { repositoryLanguages } from './languages-of.ts';
import { listRepositories } from './list.ts';
import { maintenance } from './maintenance.ts';
import type { RepositoryCounters } from './offers.ts';
import type { RepositoryParts } from './ports.ts';
import { protectBranch, protectionOf, unprotectBranch } from './protection.ts';
import { pruneDue } from './prune.ts';
import { pushes } from './push.ts';
import { reconciler } from './reconcile.ts';
import { createRoleTemplate, deleteRoleTemplate, listRoleTemplates, updateRoleTemplate } from './role-templates.ts';
import { lateRoleTable } from './roles.ts';
import { checkStarred, removeMark, setMark } from './stars.ts';
import { createTag, deleteTag, listTags } from './tags.ts';
import { updateRepository } from './update.ts';
import { writeContents } from './write-contents.ts';

export type RepositoryUseCases = ReturnType<typeof repositoryUseCases>;

export function repositoryUseCases(
  parts: RepositoryParts & { readonly counters: () => readonly RepositoryCounters[] },
) {
  const upkeep = maintenance(parts);
  const settling = reconciler({ ...parts, maintenance: upkeep });
  const whole = {
    ...parts,
    maintenance: upkeep,
    reconciler: settling,
    roleTable: lateRoleTable(parts.permissionTable),
  };
  return {
    create: createRepository(whole),
    list: listRepositories(whole),
    fetch: fetchRepository(whole),
    update: updateRepository(whole),
    delete: deleteRepository(whole),
    contents: contents(whole),
    rawFile: rawFile(whole),
    commits: listCommits(whole),
    commit: fetchCommit(whole),
    compare: compareRefs(whole),
    blame: blameFile(whole),
    archive: archiveOf(whole),
    languages: repositoryLanguages(whole),
    writeContents: writeContents(whole),
    branches: listBranches(whole),
    createBranch: createBranch(whole),
    deleteBranch: deleteBranch(whole),
    tags: listTags(whole),
    createTag: createTag(whole),
    deleteTag: deleteTag(whole),
    protection: protectionOf(whole),
    protectBranch: protectBranch(whole),
    unprotectBranch: unprotectBranch(whole),
    recordOf: recordOf.bind(undefined, whole),
    collaborators: listCollaborators(whole),
    effectivePermissions: effectivePermissions(whole),
    putCollaborator: putCollaborator(whole),
    removeCollaborator: removeCollaborator(whole),
    roleTemplates: listRoleTemplates(whole),
    createRoleTemplate: createRoleTemplate(whole),
    updateRoleTemplate: updateRoleTemplate(whole),
    deleteRoleTemplate: deleteRoleTemplate(whole),
    star: setMark(whole, 'star'),
    unstar: removeMark(whole, 'star'),
    checkStarred: checkStarred(whole),
    watch: setMark(whole, 'watch'),
    unwatch: removeMark(whole, 'watch'),
    fork: forkRepository(whole),
    forks: listForks(whole),
    pushes: pushes(whole),
    pruneDue: pruneDue(whole),
    reconciler: settling,
    maintenance: upkeep,
  };
}
