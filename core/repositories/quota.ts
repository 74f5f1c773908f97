// Quotas: how much one user may own. Administrators of the instance may go beyond, for themselves and for others.
import { Unprocessable } from '#core/kernel/errors';
import type { SettingDeclaration, Settings } from '#core/kernel/settings';

declare module '#core/kernel/settings' {
  interface SettingValues {
    'repositories.max_per_user': number;
    'repositories.max_forks_per_user': number;
  }
}

export const repositorySettings: readonly SettingDeclaration[] = [
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
];

/** How much is somebody's. */
export interface Owned {
  readonly repositories: number;
  /** Of these, the forks of what still exists. */
  readonly forks: number;
}

/** Whether there is room for one more. @throws {Unprocessable} `quota_exceeded` */
export async function checkRoom(settings: Settings, owned: Owned, kind: 'repository' | 'fork'): Promise<void> {
  const refuse = (most: number, what: string, key: keyof Owned): void => {
    if (most === 0 || owned[key] < most) return;
    throw new Unprocessable(`You own ${owned[key]} ${what}, and one user may own ${most}`, {
      code: 'quota_exceeded',
      detail: 'Delete one you no longer need, or ask an administrator of the instance for more',
    });
  };
  refuse(await settings.get('repositories.max_per_user'), 'repositories', 'repositories');
  if (kind === 'fork') refuse(await settings.get('repositories.max_forks_per_user'), 'forks', 'forks');
}
