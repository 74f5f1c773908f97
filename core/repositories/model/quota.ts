// Quotas: how many repositories, forks and bytes one user may own. Administrators of the instance may exceed them, for
// themselves and for others.
import type { Caller } from '#core/kernel/caller';
import { Unprocessable } from '#core/kernel/errors';
import type { SettingSpec, Settings } from '#core/kernel/services/settings';
import { zeroOid, type JudgeRefs } from '../git/git-backend.ts';
import type { Maintenance } from './maintenance.ts';
import type { RepositoryParts } from './parts.ts';
import type { Repository } from './repository.ts';

declare module '#core/kernel/services/settings' {
  interface SettingValues {
    'repositories.max_per_user': number;
    'repositories.max_forks_per_user': number;
    'repositories.max_bytes_per_user': number;
  }
}

/** The settings of quotas. */
export const repositorySettings: readonly SettingSpec[] = [
  {
    key: 'repositories.max_per_user',
    type: 'integer',
    default: 1000,
    min: 0,
    max: 1_000_000,
    description: 'How many repositories one user may own, forks among them; 0: any number',
  },
  {
    key: 'repositories.max_forks_per_user',
    type: 'integer',
    default: 500,
    min: 0,
    max: 1_000_000,
    description: 'How many of them may be forks; 0: any number',
  },
  {
    key: 'repositories.max_bytes_per_user',
    type: 'integer',
    default: 10 * 1024 ** 3,
    min: 0,
    max: 2 ** 50,
    description: 'How many bytes the repositories of one user may take on disk; 0: any number',
  },
];

/** The repositories, forks and bytes that a user owns. */
export interface Owned {
  readonly repositories: number;
  /** Those that are forks of an existing repository. */
  readonly forks: number;
  /** The size of all of them on disk, as last measured. */
  readonly bytes: number;
}

/** The error for an exceeded quota: 422 `quota_exceeded`. */
export const quotaExceeded = (sentence: string): Unprocessable =>
  new Unprocessable(sentence, {
    code: 'quota_exceeded',
    detail: 'Delete what is no longer needed, or ask an administrator of the instance for more',
  });

/** Checks whether the user may own one more repository. @throws {Unprocessable} `quota_exceeded` */
export async function checkRoom(
  settings: Settings,
  owned: Owned,
  { isFork, bytes }: { readonly isFork: boolean; readonly bytes: number },
): Promise<void> {
  const refuse = (most: number, what: 'repositories' | 'forks'): void => {
    if (most > 0 && owned[what] >= most)
      throw quotaExceeded(`You own ${owned[what]} ${what}, and one user may own ${most}`);
  };
  refuse(await settings.get('repositories.max_per_user'), 'repositories');
  if (isFork) refuse(await settings.get('repositories.max_forks_per_user'), 'forks');
  const sentence = overBytes(await settings.get('repositories.max_bytes_per_user'), owned, bytes);
  if (sentence !== undefined) throw quotaExceeded(sentence);
}

/** Collaborators see this message too, so it does not contain how much the owner has. */
const overBytes = (most: number, { bytes }: Owned, more: number): string | undefined =>
  most === 0 || more === 0 || bytes + more <= most
    ? undefined
    : `This brings ${more} bytes, for which the owner has no room; the repositories of one user may take ${most}`;

/** Smaller pushes are only counted by the next measurement, which follows soon. */
const countedAtOnce = 1024 ** 2;

/**
 * For one push: rejects refs if the new objects exceed the owner's quota. An accepted push counts immediately, so that
 * concurrent pushes cannot use the same free space.
 */
export function roomForBytes(
  {
    store,
    settings,
    unitOfWork,
    maintenance,
  }: Pick<RepositoryParts, 'store' | 'settings' | 'unitOfWork'> & { readonly maintenance: Maintenance },
  { id, ownerId }: Repository,
  caller: Caller,
): { judge(inner: JudgeRefs): JudgeRefs; ended(): void } {
  let counted = false;
  const refusal = async (size: () => Promise<number>): Promise<string | undefined> => {
    if (caller.kind === 'user' && caller.isAdmin) return undefined;
    const most = await settings.get('repositories.max_bytes_per_user');
    if (most === 0) return undefined;
    const more = await size();
    if (more < countedAtOnce) return overBytes(most, await store.owned(ownerId), more);
    return unitOfWork.run(async () => {
      const sentence = overBytes(most, await store.owned(ownerId, 'held'), more);
      if (sentence !== undefined) return sentence;
      await store.resize(id, { by: more });
      counted = true;
      return undefined;
    });
  };
  return {
    judge: (inner) => async (updates, objects) => {
      const verdicts = await inner(updates, objects);
      const brings = (index: number): boolean =>
        verdicts[index]?.refusal === undefined && updates[index]?.new !== zeroOid;
      if (!verdicts.some((_, index) => brings(index))) return verdicts;
      const sentence = await refusal(() => objects.size());
      if (sentence === undefined) return verdicts;
      return verdicts.map((verdict, index) =>
        brings(index) ? { ref: verdict.ref, refusal: sentence, because: 'quota' as const } : verdict,
      );
    },
    ended() {
      if (counted) maintenance.request(id);
    },
  };
}

/** Measures and stores the size of a repository. */
export async function measure(
  { git, store, unitOfWork }: Pick<RepositoryParts, 'git' | 'store' | 'unitOfWork'>,
  repositoryId: string,
): Promise<void> {
  const to = await git.size(repositoryId);
  await unitOfWork.run(() => store.resize(repositoryId, { to }));
}
