// What happens to issues, as others hear of it; the aggregate is `issue:ID`.
import type { Call, Caller } from '#core/kernel/caller';
import type { EventType } from '#core/kernel/events';
import type { Issue } from './issue.ts';
import type { LinkType } from './link.ts';

/** What every event about an issue tells of it. */
export interface IssueFact {
  readonly repository_id: string;
  readonly issue_id: string;
  readonly number: number;
}

/** What events about a link tell, beside the issue that it was put on or taken off. */
export interface LinkFact extends IssueFact {
  readonly link_id: string;
  readonly type: LinkType;
  /** The issue that blocks, relates to or duplicates the target. */
  readonly source_id: string;
  readonly target_id: string;
}

/** What events about a comment tell. */
export interface CommentFact extends IssueFact {
  readonly comment_id: string;
}

/** What events about an issue type tell. */
export interface IssueTypeFact {
  readonly issue_type_id: string;
  readonly name: string;
}

/** What events about a component or a version tell. */
export interface NamedFact {
  readonly repository_id: string;
  /** Of the component or the version. */
  readonly id: string;
}

declare module '#core/kernel/events' {
  interface EventPayloads {
    'issue.created': IssueFact;
    /** `changed` names the members that are now otherwise. */
    'issue.updated': IssueFact & { readonly changed: readonly string[] };
    'issue.closed': IssueFact;
    'issue.reopened': IssueFact;
    'issue.deleted': IssueFact;
    /** `parent_id` is null where it has none any more. */
    'issue.parent_changed': IssueFact & { readonly parent_id: string | null };
    'issue.linked': LinkFact;
    'issue.unlinked': LinkFact;
    /** `user_id` is whoever watches it now, or does not any more. */
    'issue.watched': IssueFact & { readonly user_id: string };
    'issue.unwatched': IssueFact & { readonly user_id: string };
    /** Of the history of its description. */
    'issue.description_edit_deleted': IssueFact & { readonly edit_id: string };
    'issue_comment.created': CommentFact;
    'issue_comment.updated': CommentFact;
    'issue_comment.deleted': CommentFact;
    'issue_type.created': IssueTypeFact;
    'issue_type.updated': IssueTypeFact;
    'issue_type.deleted': IssueTypeFact;
    /** The whole scheme, in its order; empty for every type. */
    'issue_type_scheme.replaced': { readonly repository_id: string; readonly type_ids: readonly string[] };
    'component.created': NamedFact;
    'component.updated': NamedFact;
    'component.deleted': NamedFact;
    'version.created': NamedFact;
    'version.updated': NamedFact;
    'version.deleted': NamedFact;
  }
}

/** What of this area leaves an entry in the audit log; docs/api/audit.md says when. */
declare module '#core/kernel/audit' {
  interface AuditActions {
    'issue_type.created': true;
    'issue_type.updated': true;
    'issue_type.deleted': true;
    'issue.description_edit_deleted': true;
  }
}

/** What the plugin of this area emits. */
export const issueEvents = [
  'issue.created',
  'issue.updated',
  'issue.closed',
  'issue.reopened',
  'issue.deleted',
  'issue.parent_changed',
  'issue.linked',
  'issue.unlinked',
  'issue.watched',
  'issue.unwatched',
  'issue.description_edit_deleted',
  'issue_comment.created',
  'issue_comment.updated',
  'issue_comment.deleted',
  'issue_type.created',
  'issue_type.updated',
  'issue_type.deleted',
  'issue_type_scheme.replaced',
  'component.created',
  'component.updated',
  'component.deleted',
  'version.created',
  'version.updated',
  'version.deleted',
] as const satisfies readonly EventType[];

type Told = Pick<Issue, 'id' | 'repositoryId' | 'number'>;

/** What every event about an issue consists of, but for its type and what else its payload tells. */
export const aboutIssue = ({ id, repositoryId, number }: Told, { caller }: Call<Caller>) => ({
  aggregate: `issue:${id}`,
  ...(caller.kind === 'user' && { actorId: caller.id }),
  payload: { repository_id: repositoryId, issue_id: id, number } satisfies IssueFact,
});
