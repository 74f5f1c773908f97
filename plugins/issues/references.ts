// Finds issues by references such as `#12`.
import type { ReferenceFinder } from 'hexforge/plugin';
import { repositoryPage } from 'hexforge/repositories';
import type { IssueUseCases } from '#core/issues/use-cases';

/** Numbers are 32-bit integers in the database. */
const greatest = 2 ** 31 - 1;

export const issueReferences = ({ titles }: Pick<IssueUseCases, 'titles'>): ReferenceFinder => ({
  sign: '#',
  async find(references, { call, repository }) {
    if (repository?.may('issue.read') !== true) return new Map();
    const numbers = references.map(Number).filter((number) => number <= greatest);
    const found = await titles(call, repository.id, numbers);
    const pages = repositoryPage(repository, 'issues');
    return new Map(
      [...found].map(([number, title]) => [String(number), { path: `${pages}/${String(number)}`, title }]),
    );
  },
});
