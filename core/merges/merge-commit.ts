// The commit that a merge makes: its message, its author and its committer (document D, "Merge requests").
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
import type { MergeRequest } from './merge-request.ts';

type About = Pick<MergeRequest, 'number' | 'title' | 'description' | 'sourceBranch' | 'targetBranch'>;

/** What a caller says; a text of white space alone is none. @throws {ValidationFailed} */
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

/** Who signs, but for the date. */
export interface MergePeople {
  readonly author: Omit<Signature, 'date'>;
  readonly committer: Omit<Signature, 'date'>;
}

/**
 * The committer is the caller. So is the author where none is named; of a name or an address alone the rest is the
 * caller's.
 * @param host in whose name an address is made up for an account that has none.
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
