// The port by which other areas read merge requests and comment on them.
import type { Call, User } from '#core/kernel/caller';
import type { Page, PageRequest } from '#core/kernel/page';
import { declarePort } from '#core/kernel/ports';
import type { AnchorWish, CommentView } from './comment.ts';
import type { ListedRequest, MergeState, MergeView } from './merge-request.ts';

/** A merge request, as events name it. */
export interface MergeRequestAt {
  readonly repositoryId: string;
  readonly number: number;
}

/** Selects merge requests into a repository. Absent members do not restrict the list. */
export interface MergeRequestsWanted {
  readonly repositoryId: string;
  readonly state?: MergeState | undefined;
  /** Default: the first page of 25. A page has at most 100. */
  readonly page?: PageRequest | undefined;
}

/**
 * Reads merge requests and comments on them, for the caller of a call: a bot (`Bot.call`) or the user of a request.
 * Every call of a method authenticates the caller again and decides access as the routes do. A thing that the caller
 * may not read is NotFound, like a missing one. A call by a bot counts as one request of its account.
 */
export interface MergeRequests {
  /** The newest first. @throws {Unauthorized | Forbidden | NotFound | RateLimited} */
  list(call: Call, wanted: MergeRequestsWanted): Promise<Page<ListedRequest>>;
  /** Includes the diff. @throws {Unauthorized | Forbidden | NotFound | RateLimited | Unavailable} */
  fetch(call: Call, at: MergeRequestAt): Promise<MergeView>;
  /** The oldest first. @throws {Unauthorized | Forbidden | NotFound | RateLimited} */
  comments(
    call: Call,
    at: MergeRequestAt & { readonly page?: PageRequest | undefined },
  ): Promise<readonly CommentView[]>;
  /**
   * Needs `repo.write`. Must not be called in a unit of work.
   * @param comment `body` is Markdown, with at most `longestText` characters.
   * @throws {Unauthorized | Forbidden | NotFound | RateLimited | ValidationFailed}
   */
  comment(call: Call<User>, comment: MergeRequestAt & AnchorWish & { readonly body: string }): Promise<CommentView>;
}

declare module '#core/kernel/ports' {
  interface OptionalPorts {
    MergeRequests: MergeRequests;
  }
}

declarePort('MergeRequests', {
  arity: 'optional',
  component: 'merge requests (plugin "merges")',
  critical: false,
  absent: 'unavailable',
  methods: ['list', 'fetch', 'comments', 'comment'],
});
