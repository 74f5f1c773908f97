// The message, author and committer of a merge commit.
import type { User } from '#core/kernel/caller';
import { ValidationFailed } from '#core/kernel/errors';
import { trim, trimEnd } from '#core/kernel/trim';
import {
  checkIdentity,
  identityText,
  type MergeStrategy,
  type Repository,
  type Signature,
} from '#core/repositories/index';
import type { MergeRequest } from '../model/merge-request.ts';

type About = Pick<MergeRequest, 'number' | 'title' | 'description' | 'sourceBranch' | 'targetBranch'>;

/** The message that the caller gives, or the default if it is missing or blank. @throws {ValidationFailed} */
export function messageOf(
  asked: string | undefined,
  strategy: MergeStrategy,
  repository: Pick<Repository, 'owner' | 'name'>,
  request: About,
): string {
  if (asked === undefined || asked.trim() === '') return defaultMessage(strategy, repository, request);
  if (asked.includes('\0'))
    throw new ValidationFailed('The message is not allowed', { detail: '"commit_message" must hold no NUL' });
  return trimEnd(asked, isNewline);
}

function defaultMessage(
  strategy: MergeStrategy,
  { owner, name }: Pick<Repository, 'owner' | 'name'>,
  { number, title, description, sourceBranch, targetBranch }: About,
): string {
  const reference = `See merge request ${owner}/${name}!${number}`;
  const paragraphs =
    strategy === 'squash'
      ? [title, trim(description, isNewline)]
      : [`Merge branch '${sourceBranch}' into '${targetBranch}'`, title];
  return [...paragraphs, reference].filter((paragraph) => paragraph !== '').join('\n\n');
}

const isNewline = (character: string): boolean => character === '\n' || character === '\r';

/** Author and committer without the date. */
export interface MergePeople {
  readonly author: Omit<Signature, 'date'>;
  readonly committer: Omit<Signature, 'date'>;
}

/**
 * The committer is the caller. The author is the caller too, except for a name or address that the command gives.
 * @param host the domain of the generated address, for accounts without an address.
 * @throws {ValidationFailed}
 */
export function peopleOf(
  { username }: Pick<User, 'username'>,
  email: string,
  host: string,
  asked: { readonly authorName?: string | undefined; readonly authorEmail?: string | undefined },
): MergePeople {
  const committer = { name: username, email: identityText(email) || `${username}@noreply.${host}` };
  return {
    committer,
    author: {
      name: asked.authorName === undefined ? committer.name : checkIdentity('author_name', asked.authorName),
      email: asked.authorEmail === undefined ? committer.email : checkIdentity('author_email', asked.authorEmail),
    },
  };
}
