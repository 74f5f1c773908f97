// Implements the port `ProfileLists`: the repositories on the page of a user.
import type { ProfileLists } from '#core/identity/index';
import type { RepositoryParts } from '../model/parts.ts';
import { repositoryPath } from '../model/page-paths.ts';
import { readerOf } from './readable.ts';

export const profileList = ({ store }: Pick<RepositoryParts, 'store'>): ProfileLists => ({
  title: 'Repositories',
  async list(caller, userId, slice) {
    const found = await store.list({ reader: readerOf(caller), ownerId: userId, ...slice });
    return found.map(({ owner, name, description, visibility, updatedAt }) => ({
      name,
      path: repositoryPath({ owner, name }),
      about: description,
      mark: visibility === 'public' ? '' : visibility,
      changedAt: updatedAt,
    }));
  },
});
