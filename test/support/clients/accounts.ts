// Accounts for tests of rows that belong to users.
import type { AccountStore } from '#core/identity/index';

/** Adds a user of that name. @returns the id. */
export async function addAccount(
  accounts: AccountStore,
  { id, username, isAdmin = false }: { readonly id: string; readonly username: string; readonly isAdmin?: boolean },
): Promise<string> {
  const made = {
    id,
    username,
    email: `${id}@example.com`,
    displayName: '',
    bio: '',
    avatarUrl: '',
    isAdmin,
    status: 'active',
    approval: undefined,
    emailVerified: true,
    createdAt: new Date(),
    lastActiveAt: undefined,
  } as const;
  await accounts.insert(made, 'x');
  return id;
}
