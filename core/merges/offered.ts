// Implements the port `MergeRequests`: each method decides access, then calls the use case that the route calls.
import { ValidationFailed } from '#core/kernel/errors';
import { checkGivenText } from '#core/kernel/given-text';
import { boundedPage, pageRules } from '#core/kernel/page';
import { grantedById } from '#core/repositories/index';
import type { commentUseCases } from './discussion/comments.ts';
import type { AnchorWish } from './model/comment.ts';
import type { MergeRequests } from './model/offers.ts';
import type { MergeParts } from './model/parts.ts';
import { mergeAccess } from './model/permissions.ts';
import { longestText } from './model/said.ts';
import type { fetchRequest, listRequests } from './requests/read-requests.ts';

interface UseCases {
  readonly list: ReturnType<typeof listRequests>;
  readonly fetch: ReturnType<typeof fetchRequest>;
  readonly comments: ReturnType<typeof commentUseCases>;
}

/** In characters. */
const longestPath = 4096;

/** @throws {ValidationFailed} */
function checkWish({ commitOid, filePath, ...lines }: AnchorWish): void {
  if (commitOid !== undefined && !/^[0-9a-f]{40}$/.test(commitOid))
    throw new ValidationFailed('The commit is not valid', { detail: '"commitOid" must be 40 hexadecimal digits' });
  if (filePath !== undefined) checkGivenText('filePath', filePath, longestPath);
  for (const member of ['lineNumber', 'startLine'] as const) {
    const line = lines[member];
    if (line !== undefined && !(Number.isSafeInteger(line) && line >= 1))
      throw new ValidationFailed('The line is not valid', { detail: `"${member}" must be a whole number from 1` });
  }
}

export function offeredMergeRequests(
  parts: Pick<MergeParts, 'access' | 'repositories'>,
  useCases: UseCases,
): MergeRequests {
  const decide = grantedById(parts);
  const { reading, writing } = mergeAccess;
  return {
    async list(call, { repositoryId, state, page }) {
      const granted = await decide(call, reading, repositoryId);
      return useCases.list(granted, { state, page: boundedPage(pageRules.clamped(), page) });
    },
    async fetch(call, { repositoryId, number }) {
      return useCases.fetch(await decide(call, reading, repositoryId), { number });
    },
    async comments(call, { repositoryId, number, page }) {
      const granted = await decide(call, reading, repositoryId);
      return useCases.comments.list(granted, { number, page: boundedPage(pageRules.orDefault(), page) });
    },
    async comment(call, { repositoryId, number, body, commitOid, filePath, lineNumber, startLine }) {
      const wish = { commitOid, filePath, lineNumber, startLine };
      checkGivenText('body', body, longestText);
      checkWish(wish);
      return useCases.comments.create(await decide(call, writing, repositoryId), { number, body, ...wish });
    },
  } satisfies MergeRequests;
}
