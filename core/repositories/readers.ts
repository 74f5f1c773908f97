// People whom something in a repository names: they must be able to read it.
import { ValidationFailed } from '#core/kernel/errors';
import type { Repositories } from './offers.ts';

/**
 * Each of these users once.
 * @param naming the member of the body that names them, and what is said where one cannot be named.
 * @throws {ValidationFailed} where one is nobody, or may not read the repository.
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
