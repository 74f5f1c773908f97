// The events about issues. The aggregate is `issue:ID`.
import type { AuditAction } from '#core/kernel/services/audit';
import type { Call, Caller } from '#core/kernel/caller';
import type { EventType } from '#core/kernel/storage/events';
import type { Issue } from './issue.ts';
import type { LinkType } from './link.ts';

/** The payload that all events about an issue have in common. */
export interface IssueFact {
  readonly repository_id: string;
  readonly issue_id: string;
  readonly number: number;
}

/** The payload of events about a link. The issue in it is the one that the link was added to or removed from. */
export interface LinkFact extends IssueFact {
  readonly link_id: string;
  readonly type: LinkType;
  /** The issue that blocks, relates to or duplicates the target. */
  readonly source_id: string;
  readonly target_id: string;
}

/** The payload of events about a comment. */
export interface CommentFact extends IssueFact {
  readonly comment_id: string;
}

/** The payload of events about an issue type. */
export interface IssueTypeFact {
  readonly issue_type_id: string;
  readonly name: string;
}

/** The payload of events about a component or a version. */
export interface NamedFact {
  readonly repository_id: string;
  /** The id of the component or version. */
  readonly id: string;
}

declare module '#core/kernel/storage/events' {
  interface EventPayloads {
    'issue.created': IssueFact;
    /** `changed` lists the names of the changed members. */
    'issue.updated': IssueFact & { readonly changed: readonly string[] };
    'issue.closed': IssueFact;
    'issue.reopened': IssueFact;
    'issue.deleted': IssueFact;
    /** `parent_id` is null if the issue no longer has a parent. */
    'issue.parent_changed': IssueFact & { readonly parent_id: string | null };
    'issue.linked': LinkFact;
    'issue.unlinked': LinkFact;
    /** `user_id` is the user who now watches the issue, or no longer does. */
    'issue.watched': IssueFact & { readonly user_id: string };
    'issue.unwatched': IssueFact & { readonly user_id: string };
    /** An entry of the description history. */
    'issue.description_edit_deleted': IssueFact & { readonly edit_id: string };
    'issue_comment.created': CommentFact;
    'issue_comment.updated': CommentFact;
    'issue_comment.deleted': CommentFact;
    'issue_type.created': IssueTypeFact;
    'issue_type.updated': IssueTypeFact;
    'issue_type.deleted': IssueTypeFact;
    /** The whole scheme in its order. Empty if every type is allowed. */
    'issue_type_scheme.replaced': { readonly repository_id: string; readonly type_ids: readonly string[] };
    'component.created': NamedFact;
    'component.updated': NamedFact;
    'component.deleted': NamedFact;
    'version.created': NamedFact;
    'version.updated': NamedFact;
    'version.deleted': NamedFact;
  }
}

/** The actions of this area that the audit log records. docs/api/audit.md lists when each is recorded. */
declare module '#core/kernel/services/audit' {
  interface AuditActions {
    'issue_type.created': true;
    'issue_type.updated': true;
    'issue_type.deleted': true;
    'issue.description_edit_deleted': true;
  }
}

/** The event types that the plugin of this area emits. */
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

/**
 * An event about an issue, without its type.
 * @param more the members of the payload that only this type of event has.
 */
export const aboutIssue = <More extends object>(
  { id, repositoryId, number }: Told,
  { caller }: Call<Caller>,
  more = {} as More,
) => ({
  aggregate: `issue:${id}`,
  ...(caller.kind === 'user' && { actorId: caller.id }),
  payload: { ...({ repository_id: repositoryId, issue_id: id, number } satisfies IssueFact), ...more },
});

/** The audit actions that the plugin of this area appends. */
export const issueAudits = [
  'issue_type.created',
  'issue_type.updated',
  'issue_type.deleted',
  'issue.description_edit_deleted',
] as const satisfies readonly AuditAction[];
