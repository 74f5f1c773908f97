// Changes the record of a repository: name, description, visibility, default branch and issue code. The directory is
// named by id and does not move.
import type { Granted } from '#core/kernel/access/access';
import { auditEntry } from '#core/kernel/services/audit';
import type { User } from '#core/kernel/caller';
import { changed } from '#core/kernel/storage/changed';
import { Conflict, found, onDuplicate, ValidationFailed, type Duplicate } from '#core/kernel/errors';
import type { Intent } from '#core/kernel/storage/unit-of-work';
import { checkBranchName } from './create.ts';
import { aboutRepository, factOf } from '../model/events.ts';
import { checkForkVisibility } from './forks.ts';
import { zeroOid } from '../git/git-backend.ts';
import { defaultBranchAlone } from '../push/intents.ts';
import type { RepositoryParts } from '../model/parts.ts';
import { uniques, type RepositoryPatch } from '../model/ports.ts';
import type { Reconciler } from '../push/reconciliation.ts';
import {
  checkDescription,
  checkIssueCode,
  checkName,
  wishedVisibility,
  type Repository,
  type VisibilityWish,
} from '../model/repository.ts';

export interface UpdateCommand extends VisibilityWish {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly defaultBranch?: string | undefined;
  readonly issueCode?: string | undefined;
}

type Parts = Pick<RepositoryParts, 'store' | 'git' | 'unitOfWork' | 'events' | 'intents' | 'locks' | 'audit'> & {
  readonly reconciler: Reconciler;
};
type Owned = Granted<Repository, 'repo.own', User>;
type Changes = Omit<RepositoryPatch, 'updatedAt'>;

/** @throws {ValidationFailed | Conflict | NotFound} */
export const updateRepository =
  (parts: Parts) =>
  async (granted: Owned, command: UpdateCommand): Promise<Repository> => {
    const { resource: repository } = granted;
    const wished = {
      name: checkName(command.name ?? repository.name),
      description: checkDescription(command.description ?? repository.description),
      visibility: wishedVisibility(command, repository.visibility),
      defaultBranch: command.defaultBranch ?? repository.defaultBranch,
      issueCode: checkIssueCode(command.issueCode ?? repository.issueCode),
    };
    const changes = changed<Repository>(repository, wished);
    if (Object.keys(changes).length === 0) return repository;
    const { defaultBranch } = changes;
    return onDuplicate(
      () =>
        defaultBranch === undefined
          ? save(parts, granted, changes)
          : moveDefaultBranch(parts, granted, changes, defaultBranch),
      (duplicate) => taken(parts, repository, wished, duplicate),
    );
  };

/** Changes git's HEAD first, then the record. If the record cannot be written, HEAD is reset. */
async function moveDefaultBranch(parts: Parts, granted: Owned, changes: Changes, branch: string): Promise<Repository> {
  const { git, intents, locks, reconciler } = parts;
  const { id } = granted.resource;
  checkBranchName(git, branch);
  let intent = undefined as Intent | undefined;
  try {
    return await defaultBranchAlone(locks, id, async () => {
      const [tip] = await git.readRefs(id, [`refs/heads/${branch}`]);
      // An empty repository may use the name of a future branch.
      if (tip === zeroOid && (await git.refList(id, 'branches')).refs.length > 0)
        throw new ValidationFailed('There is no such branch', {
          detail: `"default_branch": "${branch}" is no branch of this repository`,
        });
      intent = await intents.open({ kind: 'repositories.default-branch', subject: id, detail: {} });
      await intents.renew(intent.id);
      await git.setDefaultBranch(id, branch);
      return await save(parts, granted, changes, intent.id);
    });
  } catch (error) {
    // Others may have changed the default branch since. The reconciler sets HEAD to the recorded one.
    if (intent !== undefined) await reconciler.settle(intent);
    throw error;
  }
}

function save(
  { store, unitOfWork, events, intents, audit }: Parts,
  { resource: before, call }: Owned,
  changes: Changes,
  intentId?: string,
): Promise<Repository> {
  const patch: RepositoryPatch = { ...changes, updatedAt: call.now };
  return unitOfWork.run(async () => {
    if (changes.visibility !== undefined) checkForkVisibility(changes.visibility, await store.parentOf(before.id));
    const after = found((await store.update(before.id, patch)) ? await store.byId(before.id) : undefined);
    const about = aboutRepository(before, call);
    const fact = factOf(after);
    const { id, owner, name, visibility } = after;
    await events.emit({ type: 'repository.updated', ...about, payload: { ...fact, changed: Object.keys(changes) } });
    if (changes.name !== undefined) {
      await events.emit({ type: 'repository.renamed', ...about, payload: { ...fact, old_name: before.name } });
      const rename = { owner, from: before.name, to: name };
      await audit.append(auditEntry(call, 'repository.renamed', `repository:${id}`, rename));
    }
    if (changes.visibility !== undefined) {
      const type = 'repository.visibility_changed';
      await events.emit({ type, ...about, payload: { ...fact, old_visibility: before.visibility } });
      const change = { owner, name, from: before.visibility, to: visibility };
      await audit.append(auditEntry(call, type, `repository:${id}`, change));
    }
    if (intentId !== undefined) await intents.close(intentId);
    return after;
  });
}

/**
 * The error for a name or issue code in use. It may contain the id of the other repository: the caller is the owner or
 * an administrator, and can read all repositories of the owner.
 */
async function taken(
  { store }: Parts,
  { ownerId }: Repository,
  wished: Required<Changes>,
  cause: Duplicate,
): Promise<Conflict> {
  if (cause.constraint === uniques.issueCode)
    return new Conflict('The issue code is in use by another repository of the owner', {
      detail: `"issue_code": "${wished.issueCode}" is in use`,
      cause,
    });
  const existing = await store.idByName(ownerId, wished.name);
  // Clients compare `error` with exactly this value.
  return new Conflict('name_in_use', {
    ...(existing !== undefined && { body: { existing_repo_id: existing } }),
    cause,
  });
}
