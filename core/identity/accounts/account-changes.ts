// Determines which members of an account a change modifies, and their names in the API.
import type { Account } from '../model/account.ts';

/** Returns the members that differ from the account. */
export function changed<P extends Partial<Account>>(account: Account, wanted: P): Partial<P> {
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== undefined && value !== account[name as keyof Account]),
  ) as Partial<P>;
}

/** Converts a name such as `displayName` to its form in the API, `display_name`. */
export const apiName = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
