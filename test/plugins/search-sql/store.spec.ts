// The index in the forge's database passes the contract suite of search back ends on every engine.
import t from 'tap';
import { mostReadable, type Readable } from '#core/search/index';
import type { Reader } from '#core/repositories/index';
import { memoryCollaboratorStore } from '#plugins/repositories/collaborators/store-memory';
import { sqlCollaboratorStore } from '#plugins/repositories/collaborators/store';
import { memoryRepositoryStore } from '#plugins/repositories/repositories/store-memory';
import { sqlRepositoryStore } from '#plugins/repositories/repositories/store';
import searchSql from '#plugins/search-sql/plugin';
import { memorySearchIndex } from '#plugins/search-sql/store-memory';
import { sqlSearchIndex } from '#plugins/search-sql/store';
import { searchBackendChecks } from '../../contracts/search/search-backend.ts';
import type { SearchWorld } from '../../contracts/search/world.ts';
import { forgeStores } from '../forge-stores.ts';

const stores = forgeStores(searchSql, {
  stores: {
    open: { sql: sqlSearchIndex, memory: memorySearchIndex },
    repositories: { sql: sqlRepositoryStore, memory: memoryRepositoryStore },
    collaborators: { sql: sqlCollaboratorStore, memory: memoryCollaboratorStore },
  },
});
type Provider = Parameters<Parameters<typeof stores.hold>[1][number]['run']>[0];

let users = 0;

function worldOf({ addUser, addRepository, unitOfWork, repositories, collaborators }: Provider): SearchWorld {
  return {
    user: () => addUser(`searcher-${++users}`),
    async repository(ownerId, visibility) {
      const id = await addRepository(ownerId, `code-${++users}`);
      await unitOfWork.run(() => repositories.update(id, { visibility, updatedAt: new Date() }));
      return id;
    },
    addReader: (repositoryId, userId) =>
      unitOfWork.run(() => collaborators.put(repositoryId, userId, { role: 'read', permissions: [] }, new Date())),
    removeReader: (repositoryId, userId) => unitOfWork.run(() => collaborators.remove(repositoryId, userId)),
    changeVisibility: (id, visibility) =>
      unitOfWork.run(() => repositories.update(id, { visibility, updatedAt: new Date() })),
    removeRepository: (id) => unitOfWork.run(() => repositories.delete(id)),
    readable: (reader: Reader): Readable => ({
      reader,
      ids: async () => new Set(await repositories.readableIds(reader, mostReadable)),
    }),
  };
}

void t.test('the index in the database keeps the promises of a search back end', (t) =>
  stores.hold(
    t,
    searchBackendChecks.map(({ name, run }) => ({
      name,
      run: (provider: Provider) => run({ backend: provider.open(provider.unitOfWork), world: worldOf(provider) }),
    })),
  ),
);
