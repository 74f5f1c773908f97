// Which members of an account a change touches, and what the API calls them.
import type { Account } from './account.ts';

/** The members that differ from what the account has. */
export function changed<P extends Partial<Account>>(account: Account, wanted: P): Partial<P> {
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== undefined && value !== account[name as keyof Account]),
  ) as Partial<P>;
}

/** `displayName` as the API calls it. */
export const apiName = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
