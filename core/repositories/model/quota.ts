// Quotas: how many repositories, forks and bytes one user may own. Administrators of the instance may exceed them, for
// themselves and for others.
import { Unprocessable } from '#core/kernel/errors';
import type { SettingSpec, Settings } from '#core/kernel/services/settings';

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

/**
 * The error message if the user has no room for so many more bytes. Others see it too, so it does not contain how much
 * the user has.
 */
export const overBytes = (
  most: number,
  { bytes }: Owned,
  more: number,
  who: 'owner' | 'author' = 'owner',
): string | undefined =>
  most === 0 || more === 0 || bytes + more <= most
    ? undefined
    : `This brings ${more} bytes, for which the ${who} has no room; the repositories of one user may take ${most}`;
