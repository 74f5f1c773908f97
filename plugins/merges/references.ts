// Finds merge requests by references such as `!12`.
import type { ReferenceFinder } from 'hexforge/plugin';
import { repositoryPage } from 'hexforge/repositories';
import type { MergeUseCases } from '#core/merges/use-cases';

/** Numbers are 32-bit integers in the database. */
const greatest = 2 ** 31 - 1;

export const requestReferences = ({ titles }: Pick<MergeUseCases, 'titles'>): ReferenceFinder => ({
  sign: '!',
  async find(references, { call, repository }) {
    if (repository?.may('repo.read') !== true) return new Map();
    const numbers = references.map(Number).filter((number) => number <= greatest);
    const found = await titles(call, repository.id, numbers);
    const pages = repositoryPage(repository, 'merges');
    return new Map(
      [...found].map(([number, title]) => [String(number), { path: `${pages}/${String(number)}`, title }]),
    );
  },
});
