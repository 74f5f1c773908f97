// Reads, sets and removes the protection of branches.
import type { Granted } from '#core/kernel/access/access';
import { auditEntry } from '#core/kernel/services/audit';
import type { User } from '#core/kernel/caller';
import { sameMembers } from '#core/kernel/storage/changed';
import { found, NotFound, ValidationFailed } from '#core/kernel/errors';
import { aboutRepository } from '../model/events.ts';
import type { RepositoryParts } from '../model/parts.ts';
import type { Repository } from '../model/repository.ts';
import { defaultProtection, type Protection } from '../model/protection.ts';

export interface BranchCommand {
  readonly branch: string;
}

export interface ProtectCommand extends BranchCommand {
  readonly wished: Partial<Omit<Protection, 'requiredPipeline'>> & {
    readonly requiredPipeline?: Partial<Protection['requiredPipeline']>;
  };
}

type Parts = Pick<RepositoryParts, 'git' | 'protections' | 'unitOfWork' | 'events' | 'audit'>;
type Readable = Granted<Repository, 'branch.protect'>;
type Protecting = Granted<Repository, 'branch.protect', User>;

export function protectionUseCases({ git, protections, unitOfWork, events, audit }: Parts) {
  const tell = async (
    { resource: { id, owner, name }, call }: Protecting,
    branch: string,
    protection: Protection | undefined,
  ): Promise<void> => {
    const isProtected = protection !== undefined;
    await events.emit({
      type: 'branch.protection_changed',
      ...aboutRepository({ id }, call),
      payload: { repository_id: id, branch, protected: isProtected },
    });
    const details = { owner, name, branch, ...(isProtected && { protection: { ...protection } }) };
    const action = isProtected ? 'branch.protected' : 'branch.unprotected';
    await audit.append(auditEntry(call, action, `repository:${id}`, details));
  };
  return {
    /** All protections by branch, sorted. */
    list: async ({ resource: { id } }: Readable): Promise<readonly (readonly [branch: string, Protection])[]> =>
      [...(await protections.all(id))].toSorted(([a], [b]) => (a < b ? -1 : 1)),

    /** @throws {NotFound} for a branch that is not protected. */
    fetch: async ({ resource: { id } }: Readable, { branch }: BranchCommand): Promise<Protection> =>
      found((await protections.all(id)).get(branch), missing),

    /** Absent members have their default. @throws {ValidationFailed} for a name that is not a legal branch name. */
    async set(granted: Protecting, { branch, wished }: ProtectCommand): Promise<Protection> {
      const { resource, call } = granted;
      if (!git.isLegalName('branch', branch))
        throw new ValidationFailed('The branch name is not allowed', {
          detail:
            'The branch in the path must be a name that git allows for a branch, not starting with "-" or "refs/"',
        });
      const protection: Protection = {
        ...defaultProtection,
        ...wished,
        pushRoles: [...new Set(wished.pushRoles ?? defaultProtection.pushRoles)],
        requiredPipeline: { ...defaultProtection.requiredPipeline, ...wished.requiredPipeline },
      };
      await unitOfWork.run(async () => {
        const before = (await protections.all(resource.id)).get(branch);
        if (before !== undefined && same(before, protection)) return;
        await protections.put(resource.id, branch, protection, call.now);
        await tell(granted, branch, protection);
      });
      return protection;
    },

    /** @throws {NotFound} for a branch that is not protected. */
    delete: (granted: Protecting, { branch }: BranchCommand): Promise<void> =>
      unitOfWork.run(async () => {
        if (!(await protections.delete(granted.resource.id, branch))) throw new NotFound(missing);
        await tell(granted, branch, undefined);
      }),
  };
}

const missing = 'The branch is not protected';

function same(a: Protection, b: Protection): boolean {
  return (
    a.allowForcePush === b.allowForcePush &&
    a.allowDeletion === b.allowDeletion &&
    a.requiredApprovals === b.requiredApprovals &&
    a.dismissStaleApprovals === b.dismissStaleApprovals &&
    a.requiredPipeline.onOpen === b.requiredPipeline.onOpen &&
    a.requiredPipeline.onMerge === b.requiredPipeline.onMerge &&
    sameMembers(a.pushRoles, b.pushRoles)
  );
}
