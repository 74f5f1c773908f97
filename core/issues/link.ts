// A link from one issue of a repository to another (document D, "Issues"), and its rules.
import { Conflict, Unprocessable } from '#core/kernel/errors';
import { issueBounds, type Issue } from './issue.ts';

/** What one issue may be to another. */
export const linkTypes = ['blocks', 'relates_to', 'duplicates'] as const;
/** One of them. */
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

/** What a link tells of an issue at its end. */
export type LinkedIssue = Pick<Issue, 'id' | 'number' | 'title' | 'state'>;

/** A link as it is shown. */
export interface LinkView extends IssueLink {
  readonly source: LinkedIssue;
  readonly target: LinkedIssue;
}

/** Where links are kept. */
export interface LinkStore {
  /** @throws {Duplicate} where the one is linked to the other so already. */
  insert(link: IssueLink): Promise<void>;
  /** One that the issue is an end of. @returns it as it was, undefined where there is none. */
  delete(issueId: string, id: string): Promise<IssueLink | undefined>;
  /** Those that the issue is either end of, the oldest first; one query. */
  of(issueId: string): Promise<readonly LinkView[]>;
  /** Whether the one blocks the other, by itself or through others. */
  blocks(id: string, otherId: string): Promise<boolean>;
}

/** The issues that block this one. */
export const blockersOf = (id: string, links: readonly LinkView[]): readonly LinkedIssue[] =>
  links.filter(({ type, targetId }) => type === 'blocks' && targetId === id).map(({ source }) => source);

type Ends = Pick<IssueLink, 'sourceId' | 'targetId' | 'type'>;

/** To relate is mutual, the others are not. */
const sameLink = (one: Ends, other: Ends): boolean =>
  one.type === other.type &&
  ((one.sourceId === other.sourceId && one.targetId === other.targetId) ||
    (one.type === 'relates_to' && one.sourceId === other.targetId && one.targetId === other.sourceId));

/**
 * What two issues and their links say of a link between them; that blocking makes no circle is for the store to see.
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
