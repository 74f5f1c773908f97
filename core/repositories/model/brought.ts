// The bytes that were copied from another repository for a merge request. They count for the author of the request, not
// for the owner of the target, until the request is merged or its objects have been pruned.

/** Whose quota the objects of a request count for. */
export interface BroughtFor {
  readonly requestId: string;
  /** The author of the request. */
  readonly userId: string;
}

/** One request for which objects were copied. */
export interface Brought extends BroughtFor {
  /** The target. */
  readonly repositoryId: string;
  readonly bytes: number;
  /** When the request was closed unmerged. Its objects are pruned later. Null while it is open. */
  readonly letGoAt: Date | null;
}
