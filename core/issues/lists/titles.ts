// The titles of the issues that a text refers to.
import type { Call } from '#core/kernel/caller';
import { HexforgeError } from '#core/kernel/errors';
import { grantedById } from '#core/repositories/index';
import type { IssueParts } from '../model/parts.ts';
import { issueAccess } from '../model/permissions.ts';

/** By number. Empty if the caller may not read issues of the repository. */
export function issueTitles({ store, ...parts }: IssueParts) {
  const decide = grantedById(parts);
  return async (call: Call, repositoryId: string, numbers: readonly number[]): Promise<ReadonlyMap<number, string>> => {
    try {
      const { resource } = await decide(call, issueAccess.reading, repositoryId);
      return await store.titles(resource.id, numbers);
    } catch (error) {
      if (error instanceof HexforgeError) return new Map();
      throw error;
    }
  };
}
