// Types of the port `GitBackend` for reading and moving refs.
import type { Oid } from './git-objects.ts';
import type { Signature } from './git-history.ts';

/** The object that a ref points to, as lists of refs show it. */
export type Tip =
  | { readonly kind: 'commit'; readonly subject: string; readonly author: string; readonly committedAt: Date }
  /**
   * An annotated tag. `target` is the object it points to, `commit` the commit at the end of a chain of tags. `message`
   * has no signature. Very old tags have no `tagger`.
   */
  | {
      readonly kind: 'tag';
      readonly target: Oid;
      readonly commit?: Oid | undefined;
      readonly message: string;
      readonly tagger: Signature | undefined;
    }
  /** A tree, a file, or an object that is too large to be read. A large tag may still lead to a commit. */
  | { readonly kind: 'other'; readonly commit?: Oid | undefined };

/** The number of commits that the head has and the base lacks, and the other way round. */
export interface Divergence {
  readonly ahead: number;
  readonly behind: number;
}

/** An annotated tag to be written. */
export interface NewTag {
  /** A legal tag name. */
  readonly name: string;
  readonly commit: Oid;
  readonly message: string;
  /** Characters that git does not allow in a name or address are removed. */
  readonly tagger: Signature;
}

/**
 * The result of moving several refs together. `stale`: a ref does not have its old value. `in-the-way`: a name is the
 * folder of another one (`a` and `a/b`). Nothing has moved in both cases.
 */
export type Moving = 'moved' | 'stale' | 'in-the-way';
