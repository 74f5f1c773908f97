// The part of the side column with the tree of an issue: its ancestors, and all levels of its sub-issues.
import { html, type Html } from 'hexforge/plugin';
import type { Relative } from 'hexforge/issues';
import type { Repository } from 'hexforge/repositories';
import { dotted, sidePart } from 'hexforge/ui';
import { issuePath, withQuery } from './links.ts';
import { issueLink } from './marks.ts';
import type { WholeIssue } from './timeline.ts';

interface Family {
  /** Ancestors and descendants, the higher levels first. */
  readonly family: readonly Relative[];
  /** Whether there are more. */
  readonly isCut: boolean;
  /** The form that changes the parent. */
  readonly edit: Html | undefined;
  readonly open: boolean;
  /** Whether the caller may open issues. */
  readonly mayAdd: boolean;
}

export function familyPart(
  repository: Repository,
  issue: WholeIssue,
  { family, isCut, edit, open, mayAdd }: Family,
): Html | false {
  if (family.length === 0 && !mayAdd) return false;
  const byParent = Map.groupBy(family, ({ parentId }) => parentId);
  const branch = (items: Html): Html =>
    html`<ul class="tree">
      ${items}
    </ul>`;
  const below = (id: string): Html | false => {
    const children = byParent.get(id) ?? [];
    return (
      children.length > 0 &&
      branch(html`${children.map((child) => html`<li>${issueLink(repository, child)} ${below(child.id)}</li>`)}`)
    );
  };
  const own = branch(html`<li><b>This issue</b> ${below(issue.id)}</li>`);
  const tree = ancestorsOf(issue, family).reduceRight(
    (inner, ancestor) => branch(html`<li>${issueLink(repository, ancestor)} ${inner}</li>`),
    issue.parentId === null ? below(issue.id) || html`` : own,
  );
  const children = byParent.get(issue.id) ?? [];
  const done = children.filter(({ state }) => state === 'closed').length;
  return sidePart(
    'Parent and sub-issues',
    html`${family.length > 0 && tree}
      <p class="quiet">
        ${dotted([
          isCut && 'more are not shown',
          children.length > 0 && children.length === issue.childrenCount && `${done} of ${children.length} closed`,
          mayAdd &&
            html`<a href="${withQuery(issuePath(repository, 'new'), { parent: String(issue.number) })}"
              >New sub-issue</a
            >`,
        ])}
      </p>`,
    edit,
    open,
  );
}

/** The highest first. */
function ancestorsOf({ parentId }: Pick<Relative, 'parentId'>, family: readonly Relative[]): readonly Relative[] {
  const parent = family.find(({ id }) => id === parentId);
  return parent === undefined ? [] : [...ancestorsOf(parent, family), parent];
}
