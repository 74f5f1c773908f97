// Reads, sets and removes the protection of branches.
import type { Granted } from '#core/kernel/access/access';
import { auditEntry } from '#core/kernel/services/audit';
import type { User } from '#core/kernel/caller';
import { sameMembers } from '#core/kernel/storage/changed';
import { NotFound, ValidationFailed } from '#core/kernel/errors';
import { aboutRepository } from '../model/events.ts';
import type { RepositoryParts } from '../model/parts.ts';
import type { Repository } from '../model/repository.ts';
import { defaultProtection, type Protection } from '../model/protection.ts';

export interface BranchCommand {
  readonly branch: string;
}

type ProtectionWish = Partial<Omit<Protection, 'requiredPipeline'>> & {
  readonly requiredPipeline?: Partial<Protection['requiredPipeline']>;
};

type Parts = Pick<RepositoryParts, 'git' | 'protections' | 'unitOfWork' | 'events' | 'audit'>;
type Readable = Granted<Repository, 'branch.protect'>;
type Protecting = Granted<Repository, 'branch.protect', User>;

/** @throws {NotFound} for a branch that is not protected. */
export const protectionOf =
  ({ protections }: Parts) =>
  async ({ resource: { id } }: Readable, { branch }: BranchCommand): Promise<Protection> => {
    const found = (await protections.all(id)).get(branch);
    if (found === undefined) throw new NotFound('The branch is not protected');
    return found;
  };

/** Absent members have their default. @throws {ValidationFailed} for a name that is not a legal branch name. */
export const protectBranch =
  ({ git, protections, unitOfWork, events, audit }: Parts) =>
  async (
    { resource: { id, owner, name }, call }: Protecting,
    { branch, wished }: BranchCommand & { readonly wished: ProtectionWish },
  ): Promise<Protection> => {
    if (!git.isLegalName('branch', branch))
      throw new ValidationFailed('The branch name is not allowed', {
        detail: 'The branch in the path must be a name that git allows for a branch, not starting with "-" or "refs/"',
      });
    const protection: Protection = {
      ...defaultProtection,
      ...wished,
      pushRoles: [...new Set(wished.pushRoles ?? defaultProtection.pushRoles)],
      requiredPipeline: { ...defaultProtection.requiredPipeline, ...wished.requiredPipeline },
    };
    await unitOfWork.run(async () => {
      const before = (await protections.all(id)).get(branch);
      if (before !== undefined && same(before, protection)) return;
      await protections.put(id, branch, protection, call.now);
      await events.emit({
        type: 'branch.protection_changed',
        ...aboutRepository({ id }, call),
        payload: { repository_id: id, branch, protected: true },
      });
      const details = { owner, name, branch, protection: { ...protection } };
      await audit.append(auditEntry(call, 'branch.protected', `repository:${id}`, details));
    });
    return protection;
  };

/** @throws {NotFound} for a branch that is not protected. */
export const unprotectBranch =
  ({ protections, unitOfWork, events, audit }: Parts) =>
  ({ resource: { id, owner, name }, call }: Protecting, { branch }: BranchCommand): Promise<void> =>
    unitOfWork.run(async () => {
      if (!(await protections.delete(id, branch))) throw new NotFound('The branch is not protected');
      await events.emit({
        type: 'branch.protection_changed',
        ...aboutRepository({ id }, call),
        payload: { repository_id: id, branch, protected: false },
      });
      await audit.append(auditEntry(call, 'branch.unprotected', `repository:${id}`, { owner, name, branch }));
    });

function same(a: Protection, b: Protection): boolean {
  return (
    a.allowForcePush === b.allowForcePush &&
    a.allowDeletion === b.allowDeletion &&
    a.requiredApprovals === b.requiredApprovals &&
    a.requiredPipeline.onOpen === b.requiredPipeline.onOpen &&
    a.requiredPipeline.onMerge === b.requiredPipeline.onMerge &&
    sameMembers(a.pushRoles, b.pushRoles)
  );
}
