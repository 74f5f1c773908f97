// Checks users that are assigned to something in a repository: they must be able to read it.
import { ValidationFailed } from '#core/kernel/errors';
import type { Repositories } from '../model/offers.ts';

/**
 * Removes duplicates.
 * @param naming the member of the body that contains the ids, and the error message.
 * @throws {ValidationFailed} if a user does not exist or cannot read the repository.
 */
export async function checkReaders(
  repositories: Pick<Repositories, 'readers'>,
  repositoryId: string,
  ids: readonly string[],
  naming: { readonly member: string; readonly refusal: string },
): Promise<readonly string[]> {
  const asked = [...new Set(ids)];
  if (asked.length === 0) return [];
  const readers = await repositories.readers(repositoryId, asked);
  const others = asked.filter((id) => !readers.has(id));
  if (others.length === 0) return asked;
  throw new ValidationFailed(naming.refusal, {
    detail: `"${naming.member}": ${others.map((id) => `"${id}"`).join(', ')}`,
  });
}
