// A password directory in memory that records the names it was asked for.
import type { DirectoryUser, PasswordDirectory } from '#core/kernel/access/password-directories';

export interface SampleDirectory extends PasswordDirectory {
  /** The names, in the order of the calls. */
  readonly asked: string[];
}

/** @param people name → password, and the user to return if it is not the name itself. */
export function sampleDirectory(
  people: Readonly<Record<string, { readonly password: string; readonly user?: DirectoryUser }>>,
): SampleDirectory {
  const known = new Map(Object.entries(people));
  const asked: string[] = [];
  return {
    asked,
    async check(username, password) {
      asked.push(username);
      const person = known.get(username);
      return person?.password === password ? (person.user ?? { username }) : undefined;
    },
  };
}
