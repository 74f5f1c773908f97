// The titles of the merge requests that a text refers to.
import type { Call } from '#core/kernel/caller';
import { HexforgeError } from '#core/kernel/errors';
import { grantedById } from '#core/repositories/index';
import type { MergeParts } from '../model/parts.ts';
import { mergeAccess } from '../model/permissions.ts';

/** By number. Empty if the caller may not read the repository. */
export function requestTitles({ store, ...parts }: Pick<MergeParts, 'store' | 'access' | 'repositories'>) {
  const decide = grantedById(parts);
  return async (call: Call, repositoryId: string, numbers: readonly number[]): Promise<ReadonlyMap<number, string>> => {
    try {
      const { resource } = await decide(call, mergeAccess.reading, repositoryId);
      return await store.titles(resource.id, numbers);
    } catch (error) {
      if (error instanceof HexforgeError) return new Map();
      throw error;
    }
  };
}
