// Which issue may be whose parent (document B, "Issues"; document D, "Issues").
import type { IssueType } from './issue-type.ts';

/** How many levels of issues may stand under each other. */
export const deepest = 5;

/** Where an issue stands: its type, and whom it descends from, the nearest first. */
export interface Lineage {
  readonly id: string;
  readonly type: Pick<IssueType, 'name' | 'isSubtask'>;
  readonly ancestorIds: readonly string[];
}

/** The child to be: `height` is 1 without children of its own. */
export interface Descent {
  /** Absent while it is being made. */
  readonly id?: string;
  readonly type: Pick<IssueType, 'name'>;
  readonly height: number;
}

/** Types that an issue of type support cannot stand above. */
const aboveSupport: ReadonlySet<string> = new Set(['epic', 'story']);

/** Why an issue of the one type cannot be a child of one of the other; undefined where it can. */
export function typeRefusal(child: Descent['type'], parent: Lineage['type']): string | undefined {
  if (parent.isSubtask) return `An issue of the sub-task type "${parent.name}" has no children`;
  if (parent.name === 'support' && aboveSupport.has(child.name))
    return `An issue of type "support" cannot be the parent of one of type "${child.name}"`;
  return undefined;
}

/** Why the one cannot become the parent of the other; undefined where it can. */
export function parentRefusal(child: Descent, parent: Lineage): string | undefined {
  if (child.id === parent.id) return 'An issue cannot be its own parent';
  const refusal = typeRefusal(child.type, parent.type);
  if (refusal !== undefined) return refusal;
  if (child.id !== undefined && parent.ancestorIds.includes(child.id))
    return 'An issue cannot be a child of one of its own descendants';
  if (parent.ancestorIds.length + 1 + child.height > deepest) return `Issues have at most ${deepest} levels`;
  return undefined;
}
