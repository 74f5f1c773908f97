// Finds commits by the first digits of their ids.
import type { ReferenceFinder } from 'hexforge/plugin';
import { repositoryPage } from 'hexforge/repositories';
import type { RepositoryUseCases } from '#core/repositories/use-cases';

export const commitReferences = ({ namedCommits }: Pick<RepositoryUseCases, 'namedCommits'>): ReferenceFinder => ({
  sign: '',
  async find(references, { repository }) {
    if (repository?.may('repo.read') !== true) return new Map();
    const pages = repositoryPage(repository, 'commit');
    const found = await namedCommits(repository.id, references);
    return new Map([...found].map(([digits, oid]) => [digits, { path: `${pages}/${oid}`, title: oid }]));
  },
});
