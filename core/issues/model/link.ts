// A link from one issue of a repository to another, and its rules.
import { Conflict, Unprocessable } from '#core/kernel/errors';
import { issueBounds, type Issue } from './issue.ts';

/** The kinds of links. */
export const linkTypes = ['blocks', 'relates_to', 'duplicates'] as const;
/** One kind of link. */
export type LinkType = (typeof linkTypes)[number];

/** A link from one issue of a repository to another. */
export interface IssueLink {
  readonly id: string;
  /** The issue that blocks, relates to or duplicates. */
  readonly sourceId: string;
  readonly targetId: string;
  readonly type: LinkType;
  readonly createdAt: Date;
}

/** The members of an issue that its links show. */
export type LinkedIssue = Pick<Issue, 'id' | 'number' | 'title' | 'state'>;

/** A link with both issues, as responses show it. */
export interface LinkView extends IssueLink {
  readonly source: LinkedIssue;
  readonly target: LinkedIssue;
}

/** Stores links. */
export interface LinkStore {
  /** @throws {Duplicate} if the same link already exists. */
  insert(link: IssueLink): Promise<void>;
  /**
   * Deletes a link that the issue is the source or target of.
   * @returns the deleted link, or undefined if it does not exist.
   */
  delete(issueId: string, id: string): Promise<IssueLink | undefined>;
  /** Links with the issue as source or target, the oldest first. One query. */
  of(issueId: string): Promise<readonly LinkView[]>;
  /** Whether the first issue blocks the second, directly or through other issues. */
  blocks(id: string, otherId: string): Promise<boolean>;
}

/** The issues that block this one. */
export const blockersOf = (id: string, links: readonly LinkView[]): readonly LinkedIssue[] =>
  links.filter(({ type, targetId }) => type === 'blocks' && targetId === id).map(({ source }) => source);

type Ends = Pick<IssueLink, 'sourceId' | 'targetId' | 'type'>;

/** `relates_to` is symmetric, the other types are not. */
const sameLink = (one: Ends, other: Ends): boolean =>
  one.type === other.type &&
  ((one.sourceId === other.sourceId && one.targetId === other.targetId) ||
    (one.type === 'relates_to' && one.sourceId === other.targetId && one.targetId === other.sourceId));

/**
 * Checks a new link against the two issues and their existing links. The use case checks for cycles of blocking with
 * the store.
 *
 * @throws {Unprocessable | Conflict}
 */
export function checkLink(wanted: Ends, links: { readonly source: readonly Ends[]; readonly target: readonly Ends[] }) {
  if (wanted.sourceId === wanted.targetId) throw new Unprocessable('An issue cannot be linked to itself');
  if (links.source.some((link) => sameLink(link, wanted))) throw new Conflict('The issues are linked so already');
  for (const [which, held] of Object.entries(links))
    if (held.length >= issueBounds.links)
      throw new Unprocessable(`An issue has at most ${issueBounds.links} links`, {
        detail: `The ${which} has as many; delete one that is no longer needed`,
      });
}
