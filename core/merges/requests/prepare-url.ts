// Builds the address of the web form that opens a merge request, with the values filled in. Creates nothing.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { Unprocessable, ValidationFailed } from '#core/kernel/errors';
import type { Repository } from '#core/repositories/index';
import { branchTip, sourceNamed } from '../model/branches.ts';
import { checkPair } from './fields.ts';
import type { MergeParts } from '../model/parts.ts';

export interface PrepareCommand {
  /** A branch of the repository, or `OWNER:branch`. */
  readonly source: string;
  readonly targetBranch: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly isDraft?: boolean | undefined;
}

/** The path below the URL of the web pages. @throws {ValidationFailed | Forbidden | Unprocessable} */
export const prepareUrl =
  (parts: Pick<MergeParts, 'git' | 'heads' | 'access'>) =>
  async (granted: Granted<Repository, 'repo.write', User>, command: PrepareCommand): Promise<string> => {
    const { resource: repository } = granted;
    const { source, targetBranch, title, description, isDraft } = command;
    const from = await sourceNamed(parts, granted, source).catch((error: unknown) => {
      throw error instanceof ValidationFailed ? missing('source_branch', error) : error;
    });
    if ((await branchTip(parts.git, repository.id, targetBranch)) === undefined) throw missing('target_branch');
    checkPair({
      repositoryId: repository.id,
      sourceRepositoryId: from.repositoryId,
      sourceBranch: from.branch,
      targetBranch,
    });
    const values = Object.entries({ source_branch: source, target_branch: targetBranch, title, description })
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`);
    const query = [...values, ...(isDraft === undefined ? [] : [`draft=${isDraft}`])].join('&');
    return `/${repository.owner}/${repository.name}/-/merges/new?${query}`;
  };

const missing = (member: 'source_branch' | 'target_branch', cause?: unknown): Unprocessable =>
  new Unprocessable('There is no such branch', { detail: `"${member}" names no branch that is there`, cause });
