// The port `Repositories`: records and their readers, as other areas see them.
import type { Repositories } from './offers.ts';
import type { RepositoryParts } from './parts.ts';

export const offeredRepositories = ({ store, users }: Pick<RepositoryParts, 'store' | 'users'>): Repositories => ({
  byId: (id) => store.byId(id),
  async readers(repositoryId, userIds) {
    if (userIds.length === 0) return new Set();
    const [readers, administrators] = await Promise.all([
      store.readers(repositoryId, userIds),
      users.administrators(userIds),
    ]);
    return new Set([...readers, ...administrators]);
  },
});
