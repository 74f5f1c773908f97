// The commits of a merge request: those of the source that the target lacks. For a merged request, the commits that
// were merged.
import { offsetOf, type PageRequest } from '#core/kernel/page';
import { boundedCommits, type Bounded, type CommitRecord } from '#core/repositories/index';
import { branchTip } from '../model/branches.ts';
import { knownRequest, type Reading } from '../model/held-request.ts';
import type { MergeParts } from '../model/parts.ts';

export interface CommitsCommand {
  readonly number: number;
  readonly page: PageRequest;
}

/** The newest first. @throws {NotFound} */
export const requestCommits =
  (parts: Pick<MergeParts, 'store' | 'git'>) =>
  async ({ resource: repository, call }: Reading, { number, page }: CommitsCommand): Promise<Bounded<CommitRecord>> => {
    const { git } = parts;
    const { headOid, baseOid, targetBranch } = await knownRequest(parts, repository, number);
    const except = baseOid ?? (await branchTip(git, repository.id, targetBranch));
    const query = { tip: headOid, except, skip: offsetOf(page), limit: page.perPage };
    return boundedCommits(await git.history(repository.id, query, call.signal));
  };
