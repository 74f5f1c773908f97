// The names of branches, for the suggestions of fields.
import type { Granted } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import type { RepositoryUseCases } from '#core/repositories/use-cases';

const most = 100;

export async function branchNames(
  useCases: RepositoryUseCases,
  granted: Granted<Repository, 'repo.read'>,
): Promise<readonly string[]> {
  const found = await useCases.branches(granted, { page: 1, perPage: most, includeDivergence: false });
  return (await found.read()).items.map(({ name }) => name);
}
