// The port by which other areas read issues and comment on them.
import type { Call, User } from '#core/kernel/caller';
import type { Page, PageRequest } from '#core/kernel/page';
import { declarePort } from '#core/kernel/ports';
import type { CommentView } from './comment.ts';
import type { IssueDetail, IssueState, IssueView } from './issue.ts';

/** An issue, as events name it. */
export interface IssueAt {
  readonly repositoryId: string;
  readonly number: number;
}

/** Selects issues of a repository. Absent members do not restrict the list. */
export interface IssuesWanted {
  readonly repositoryId: string;
  readonly state?: IssueState | undefined;
  /** The name of a label, compared case-insensitively. */
  readonly label?: string | undefined;
  /** Default: the first page of 25. A page has at most 100. */
  readonly page?: PageRequest | undefined;
}

/**
 * Reads issues and comments on them, for the caller of a call: a bot (`Bot.call`) or the user of a request. Every call
 * of a method authenticates the caller again and decides access as the routes do. A thing that the caller may not read
 * is NotFound, like a missing one. A call by a bot counts as one request of its account.
 */
export interface Issues {
  /** The newest first. @throws {Unauthorized | Forbidden | NotFound | RateLimited} */
  list(call: Call, wanted: IssuesWanted): Promise<Page<IssueView>>;
  /** @throws {Unauthorized | Forbidden | NotFound | RateLimited} */
  fetch(call: Call, at: IssueAt): Promise<IssueView & IssueDetail>;
  /** The oldest first. @throws {Unauthorized | Forbidden | NotFound | RateLimited} */
  comments(call: Call, at: IssueAt & { readonly page?: PageRequest | undefined }): Promise<readonly CommentView[]>;
  /**
   * Must not be called in a unit of work.
   * @param comment `body` is Markdown, with at most `issueBounds.text` characters.
   * @throws {Unauthorized | Forbidden | NotFound | RateLimited | ValidationFailed}
   */
  comment(call: Call<User>, comment: IssueAt & { readonly body: string }): Promise<CommentView>;
}

declare module '#core/kernel/ports' {
  interface OptionalPorts {
    Issues: Issues;
  }
}

declarePort('Issues', {
  arity: 'optional',
  component: 'issue tracker (plugin "issues")',
  critical: false,
  absent: 'unavailable',
  methods: ['list', 'fetch', 'comments', 'comment'],
});
