// The users whose names were typed, such as the assignees of an issue.
import { ValidationFailed } from '#core/kernel/errors';
import type { PublicUser, Users } from '../model/offers.ts';

interface Named {
  /** The name of the member, for the error. */
  readonly member: string;
  readonly usernames: readonly string[];
  /** The most users. */
  readonly most: number;
}

/**
 * The users with these names in any case, each once and in the order of the names. One query.
 * @throws {ValidationFailed} if there are too many names, or naming the first unknown one.
 */
export async function usersNamed(
  users: Pick<Users, 'byUsernames'>,
  { member, usernames, most }: Named,
): Promise<readonly PublicUser[]> {
  const names = [...new Set(usernames.map((name) => name.toLowerCase()))];
  if (names.length > most)
    throw new ValidationFailed('There are too many people', {
      detail: `"${member}" has ${names.length} names, and may have ${most}`,
    });
  const found = new Map((await users.byUsernames(names)).map((user) => [user.username.toLowerCase(), user]));
  return names.map((name) => {
    const user = found.get(name);
    if (user !== undefined) return user;
    throw new ValidationFailed('There is no such user', { detail: `"${member}" names "${name}"` });
  });
}
