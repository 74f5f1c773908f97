// Lists the open issues of all repositories that wait for the caller.
import type { Call, User } from '#core/kernel/caller';
import { signedIn } from '#core/kernel/access/access';
import { HexforgeError } from '#core/kernel/errors';
import type { Repository } from '#core/repositories/index';
import type { OwnIssue } from '../model/issue.ts';
import type { IssueParts } from '../model/parts.ts';
import { issueAccess } from '../model/permissions.ts';

const { reading } = issueAccess;

const isAllowed = (decision: Promise<unknown>): Promise<boolean> =>
  decision.then(
    () => true,
    (error: unknown) => {
      if (error instanceof HexforgeError) return false;
      throw error;
    },
  );

/** An issue with its repository. */
export interface LocatedIssue extends OwnIssue {
  readonly repository: Repository;
}

/** How many issues are read before those are left out whose repository the caller can no longer read. */
const mostRead = 100;

/**
 * Open issues that the caller wrote or is assigned to, the newest first.
 * @throws {InsufficientScope} for a token that may not read issues.
 */
export const listMine =
  ({ store, repositories, access }: Pick<IssueParts, 'store' | 'repositories' | 'access'>) =>
  async (call: Call<User>, { limit }: { readonly limit: number }): Promise<readonly LocatedIssue[]> => {
    await access.decide(call, signedIn, reading.scope, {});
    const found = await store.ofUser(call.caller.id, mostRead);
    const ids = [...new Set(found.map(({ repositoryId }) => repositoryId))];
    const readable = await repositories.readable(call.caller, ids);
    // A role may have the permission to read a repository without its issues.
    const decisions = new Map<string, Promise<boolean>>();
    const readsIssues = ({ id, owner, name: repo }: Repository): Promise<boolean> => {
      const decided =
        decisions.get(id) ?? isAllowed(access.decide(call, reading.access, reading.scope, { owner, repo }));
      decisions.set(id, decided);
      return decided;
    };
    const shown: LocatedIssue[] = [];
    for (const issue of found) {
      const repository = readable.get(issue.repositoryId);
      if (repository !== undefined && (await readsIssues(repository))) shown.push({ ...issue, repository });
      if (shown.length === limit) break;
    }
    return shown;
  };
