// Implements the port `Issues`: each method decides access, then calls the use case that the route calls.
import { checkGivenText } from '#core/kernel/given-text';
import { boundedPage, pageRules } from '#core/kernel/page';
import { grantedById } from '#core/repositories/index';
import type { commentUseCases } from './discussion/comments.ts';
import type { fetchIssue } from './changes/fetch-issue.ts';
import type { listIssues } from './lists/list-issues.ts';
import { issueBounds } from './model/issue.ts';
import type { Issues } from './model/offers.ts';
import type { IssueParts } from './model/parts.ts';
import { issueAccess } from './model/permissions.ts';

interface UseCases {
  readonly list: ReturnType<typeof listIssues>;
  readonly fetch: ReturnType<typeof fetchIssue>;
  readonly comments: ReturnType<typeof commentUseCases>;
}

export function offeredIssues(parts: Pick<IssueParts, 'access' | 'repositories'>, useCases: UseCases): Issues {
  const decide = grantedById(parts);
  const { reading, writing } = issueAccess;
  return {
    async list(call, { repositoryId, state, label, page }) {
      if (label !== undefined) checkGivenText('label', label, issueBounds.title);
      const granted = await decide(call, reading, repositoryId);
      return useCases.list(granted, { state, label, page: boundedPage(pageRules.orDefault(), page) });
    },
    async fetch(call, { repositoryId, number }) {
      return useCases.fetch(await decide(call, reading, repositoryId), { number: String(number) });
    },
    async comments(call, { repositoryId, number, page }) {
      const granted = await decide(call, reading, repositoryId);
      return useCases.comments.list(granted, {
        number: String(number),
        page: boundedPage(pageRules.orDefault(), page),
      });
    },
    async comment(call, { repositoryId, number, body }) {
      checkGivenText('body', body, issueBounds.text);
      return useCases.comments.create(await decide(call, writing, repositoryId), { number: String(number), body });
    },
  } satisfies Issues;
}
