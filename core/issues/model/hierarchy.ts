// Rules about which issue may be the parent of which.
import type { IssueType } from './issue-type.ts';

/** The most levels of a hierarchy of issues. */
export const deepest = 5;

/** An issue with its type and its ancestors, the parent first. */
export interface Lineage {
  readonly id: string;
  readonly type: Pick<IssueType, 'name' | 'isSubtask'>;
  readonly ancestorIds: readonly string[];
}

/**
 * The child in a new parent-child relation. `height` is the number of levels from the child down, 1 if it has no
 * children.
 */
export interface Descent {
  /** Absent while the issue is being created. */
  readonly id?: string;
  readonly type: Pick<IssueType, 'name'>;
  readonly height: number;
}

/** Types that cannot be children of an issue of type support. */
const aboveSupport: ReadonlySet<string> = new Set(['epic', 'story']);

/** Why an issue of the child's type cannot have a parent of the other type. Undefined if it can. */
export function typeRefusal(child: Descent['type'], parent: Lineage['type']): string | undefined {
  if (parent.isSubtask) return `An issue of the sub-task type "${parent.name}" has no children`;
  if (parent.name === 'support' && aboveSupport.has(child.name))
    return `An issue of type "support" cannot be the parent of one of type "${child.name}"`;
  return undefined;
}

/** Why the parent is not allowed for the child. Undefined if it is allowed. */
export function parentRefusal(child: Descent, parent: Lineage): string | undefined {
  if (child.id === parent.id) return 'An issue cannot be its own parent';
  const refusal = typeRefusal(child.type, parent.type);
  if (refusal !== undefined) return refusal;
  if (child.id !== undefined && parent.ancestorIds.includes(child.id))
    return 'An issue cannot be a child of one of its own descendants';
  if (parent.ancestorIds.length + 1 + child.height > deepest) return `Issues have at most ${deepest} levels`;
  return undefined;
}
