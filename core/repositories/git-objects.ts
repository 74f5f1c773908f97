// What git keeps, as the port `GitBackend` speaks of it: object ids, refs, entries of a tree, blobs.

/** 40 lower-case hex digits. */
export type Oid = string;

/** Forty zeros: "no object", in a ref update. */
export const zeroOid: Oid = '0'.repeat(40);

/** A branch or tag and the object it names. */
export interface Ref {
  /** Full: `refs/heads/main`. */
  readonly name: string;
  readonly oid: Oid;
  /** For an annotated tag, the commit it leads to. */
  readonly peeled?: Oid;
}

/** All refs of a kind, with a digest of them. */
export interface RefList {
  /** By name; annotated tags as they are. */
  readonly refs: readonly Ref[];
  /** Of all names and oids: the same where and while they are. */
  readonly digest: string;
}

/** An entry of a folder. */
export interface TreeEntry {
  /** One path segment. Bytes that are not UTF-8 read as U+FFFD; `path` keys stay the raw ones inside the adapter. */
  readonly name: string;
  readonly type: 'file' | 'directory' | 'symlink' | 'submodule';
  /** As git prints it: `100644`, `100755`, `120000`, `040000`, `160000`. */
  readonly mode: string;
  readonly oid: Oid;
  /** Bytes; 0 for directories and submodules. */
  readonly size: number;
}

/** Entries of a folder that a listing tells at the most. */
export const mostEntries = 10_000;

/** The entries of a folder, up to a bound. */
export interface TreeListing {
  /** The first `mostEntries`, in git's order; none whose name is over `longest.path`. */
  readonly entries: readonly TreeEntry[];
  /** Whether some are left out. */
  readonly truncated: boolean;
}

/** The commit that changed an entry last. */
export interface LastCommit {
  readonly oid: Oid;
  /** The first line of the message, clipped. */
  readonly subject: string;
  readonly committedAt: Date;
}

/** A file as git keeps it. */
export interface Blob {
  readonly oid: Oid;
  readonly size: number;
  /** Read once. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** A ref that moves from one object to another. */
export interface RefUpdate {
  readonly ref: string;
  /** `zeroOid` for a creation. */
  readonly old: Oid;
  /** `zeroOid` for a deletion. */
  readonly new: Oid;
}
