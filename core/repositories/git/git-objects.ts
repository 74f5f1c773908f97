// Types of the port `GitBackend` for git objects: object ids, refs, tree entries and blobs.

/** 40 lower-case hex digits. */
export type Oid = string;

/** Forty zeros: "no object", in a ref update. */
export const zeroOid: Oid = '0'.repeat(40);

/** A branch or tag and the object it points to. */
export interface Ref {
  /** Full: `refs/heads/main`. */
  readonly name: string;
  readonly oid: Oid;
  /** For an annotated tag, the commit it leads to. */
  readonly peeled?: Oid;
}

/** All refs of a kind, with a digest of them. */
export interface RefList {
  /** Sorted by name. Annotated tags are not peeled. */
  readonly refs: readonly Ref[];
  /** A digest of all names and oids. Equal if and only if all of them are equal. */
  readonly digest: string;
}

/** An entry of a folder. */
export interface TreeEntry {
  /**
   * One path segment. Bytes that are not UTF-8 are replaced by U+FFFD. The adapter keeps the raw bytes for its own
   * lookups.
   */
  readonly name: string;
  readonly type: 'file' | 'directory' | 'symlink' | 'submodule';
  /** As git prints it: `100644`, `100755`, `120000`, `040000`, `160000`. */
  readonly mode: string;
  readonly oid: Oid;
  /** Bytes; 0 for directories and submodules. */
  readonly size: number;
}

/** The most entries in the listing of a folder. */
export const mostEntries = 10_000;

/** The entries of a folder, up to a limit. */
export interface TreeListing {
  /** The first `mostEntries`, in git's order. Entries whose name is longer than `longest.path` are left out. */
  readonly entries: readonly TreeEntry[];
  /** Whether entries were left out. */
  readonly truncated: boolean;
}

/** The last commit that changed an entry. */
export interface LastCommit {
  readonly oid: Oid;
  /** The first line of the message, clipped. */
  readonly subject: string;
  readonly committedAt: Date;
}

/** The content of a file in git. */
export interface Blob {
  readonly oid: Oid;
  readonly size: number;
  /** Can be read once. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The change of a ref from one object to another. */
export interface RefUpdate {
  readonly ref: string;
  /** `zeroOid` if the ref is created. */
  readonly old: Oid;
  /** `zeroOid` if the ref is deleted. */
  readonly new: Oid;
}
