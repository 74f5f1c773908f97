// Creates a repository: first the directory, under an intent, then the row. The repository exists as soon as its row
// does.
import type { PublicUser } from '#core/identity/index';
import { auditEntry } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import { Conflict, Duplicate, Forbidden, ValidationFailed } from '#core/kernel/errors';
import { aboutRepository, factOf } from '../model/events.ts';
import type { RepositoryParts } from '../model/parts.ts';
import { checkRoom } from '../model/quota.ts';
import type { Reconciler } from '../push/reconciliation.ts';
import {
  checkDescription,
  checkName,
  nameKey,
  wishedVisibility,
  type Repository,
  type VisibilityWish,
} from '../model/repository.ts';

export interface CreateCommand extends VisibilityWish {
  readonly name: string;
  readonly description?: string | undefined;
  readonly defaultBranch?: string | undefined;
  /** The owner's username, if it is not the caller. Only for instance administrators. */
  readonly owner?: string | undefined;
}

export type ProvisioningParts = Pick<
  RepositoryParts,
  'store' | 'git' | 'unitOfWork' | 'events' | 'intents' | 'audit' | 'users' | 'ids' | 'settings'
> & { readonly reconciler: Reconciler };

/** @throws {ValidationFailed | Forbidden | Conflict | Unprocessable} */
export const createRepository =
  (parts: ProvisioningParts) =>
  async (call: Call<User>, command: CreateCommand): Promise<Repository> => {
    const { git, ids } = parts;
    const owner = await ownerOf(parts, call.caller, command.owner);
    const repository: Repository = {
      id: ids.uuid(),
      ownerId: owner.id,
      owner: owner.username,
      name: checkName(command.name),
      description: checkDescription(command.description ?? ''),
      visibility: wishedVisibility(command, 'private'),
      defaultBranch: command.defaultBranch ?? 'main',
      issueCode: '',
      createdAt: call.now,
      updatedAt: call.now,
    };
    checkBranchName(git, repository.defaultBranch);
    await provisionRepository(parts, call, repository, {
      make: () => git.create(repository.id, { defaultBranch: repository.defaultBranch }),
    });
    return repository;
  };

export interface Provisioning {
  /** Creates the repository's directory. */
  make(): Promise<void>;
  /** The id of the repository that this is a fork of. */
  readonly parentId?: string;
  /** The size of the new repository on disk. */
  readonly bytes?: number;
  /** Runs in the transaction that inserts the row. */
  within?(): Promise<void>;
}

/** @throws {Conflict | Unprocessable} if the owner has a repository of that name, or has reached a quota */
export async function provisionRepository(
  parts: ProvisioningParts,
  call: Call<User>,
  repository: Repository,
  { make, parentId, bytes = 0, within }: Provisioning,
): Promise<void> {
  const { store, unitOfWork, events, intents, audit, settings, reconciler } = parts;
  const { ownerId, owner, name, visibility } = repository;
  if ((await store.idByName(ownerId, name)) !== undefined) throw taken(repository);
  const room = async (how?: 'held'): Promise<void> => {
    if (!call.caller.isAdmin)
      await checkRoom(settings, await store.owned(ownerId, how), {
        isFork: parentId !== undefined,
        bytes,
      });
  };
  // Checked here to avoid useless work, and again in the transaction, where concurrent creations wait for each other.
  await room();
  const intent = await intents.open({ kind: 'repositories.create', subject: repository.id, detail: {} });
  try {
    await make();
    await unitOfWork.run(async () => {
      await room('held');
      await store.insert(repository, parentId);
      if (bytes > 0) await store.resize(repository.id, { to: bytes });
      await events.emit({
        type: 'repository.created',
        ...aboutRepository(repository, call),
        payload: factOf(repository),
      });
      await within?.();
      await audit.append(
        auditEntry(call, 'repository.created', `repository:${repository.id}`, {
          owner,
          name,
          visibility,
          ...(parentId !== undefined && { forked_from: parentId }),
        }),
      );
      await intents.close(intent.id);
    });
  } catch (error) {
    await reconciler.settle(intent);
    throw error instanceof Duplicate ? taken(repository, error) : error;
  }
}

async function ownerOf(
  { users }: ProvisioningParts,
  caller: User,
  wished: string | undefined,
): Promise<Pick<PublicUser, 'id' | 'username'>> {
  if (wished === undefined || nameKey(wished) === nameKey(caller.username)) return caller;
  if (!caller.isAdmin)
    throw new Forbidden('Only an instance administrator may create a repository for somebody else', {
      detail: 'Leave out "owner"',
    });
  const owner = await users.byUsername(wished);
  if (owner === undefined)
    throw new ValidationFailed('There is no such owner', { detail: '"owner" must be the username of an account' });
  return owner;
}

/** @throws {ValidationFailed} for a name that git does not allow. */
export function checkBranchName(git: RepositoryParts['git'], branch: string): void {
  if (git.isLegalName('branch', branch)) return;
  throw new ValidationFailed('The branch name is not allowed', {
    detail: '"default_branch" must be a name that git allows for a branch, not starting with "-" or "refs/"',
  });
}

const taken = ({ owner, name }: Repository, cause?: unknown): Conflict =>
  new Conflict(`"${owner}" has a repository of this name already`, {
    detail: `"name": "${name}" is in use; names are compared case-insensitively`,
    cause,
  });
