// Of the port `GitBackend`, what it says about refs and how it moves them: shapes and answers.
import type { Oid } from './git-objects.ts';
import type { Signature } from './git-history.ts';

/** What a ref points to, as lists of refs show it. */
export type Tip =
  | { readonly kind: 'commit'; readonly subject: string; readonly author: string; readonly committedAt: Date }
  /**
   * An annotated tag: `target` is what it names, `commit` what it leads to at last, `message` is without a signature,
   * `tagger` is missing in very old ones.
   */
  | {
      readonly kind: 'tag';
      readonly target: Oid;
      readonly commit?: Oid | undefined;
      readonly message: string;
      readonly tagger: Signature | undefined;
    }
  /** A tree, a file, or an object too large to be looked at; a tag may lead to a commit all the same. */
  | { readonly kind: 'other'; readonly commit?: Oid | undefined };

/** Commits of a head that the base lacks, and of the base that the head lacks. */
export interface Divergence {
  readonly ahead: number;
  readonly behind: number;
}

/** An annotated tag that is to be written. */
export interface NewTag {
  /** A legal tag name. */
  readonly name: string;
  readonly commit: Oid;
  readonly message: string;
  /** Characters git does not allow in a name or address are left out. */
  readonly tagger: Signature;
}

/**
 * What became of refs that were to move together. `stale`: one of them does not have the old value; `in-the-way`: a
 * name is the folder of another (`a` and `a/b`). Nothing moved then.
 */
export type Moving = 'moved' | 'stale' | 'in-the-way';
