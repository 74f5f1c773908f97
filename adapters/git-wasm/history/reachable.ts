// Lists the objects that some commits reach and others do not, as `git rev-list --objects`.
import { Unprocessable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git/git-backend';
import type { ObjectStore } from '../objects/object-store.ts';
import { entriesIn, folderMode } from '../objects/tree.ts';
import { ancestors } from './ancestry.ts';

/** Which objects a partial clone leaves out: `--filter` of git-rev-list(1). */
export interface ObjectFilter {
  /** Blobs of this size and more. */
  readonly blobBytes?: number;
  /** Trees and blobs this far below the root of a commit and farther. */
  readonly treeDepth?: number;
}

export interface Wanted {
  readonly wants: readonly Oid[];
  readonly haves: readonly Oid[];
  readonly filter?: ObjectFilter;
  /** Commits whose parents the reader does not have. */
  readonly readerShallow?: ReadonlySet<Oid>;
  /** Commits whose parents are not sent. */
  readonly shallow?: ReadonlySet<Oid>;
  /** Whether missing objects are left out. Otherwise they are an error. */
  readonly isTolerant?: boolean;
}

/** The oids, each once: tags and commits first. Missing objects of `haves` are ignored. */
export function reachable(store: ObjectStore, wanted: Wanted): Set<Oid> {
  const { wants, haves, filter = {}, readerShallow = new Set(), shallow = new Set(), isTolerant = false } = wanted;
  const sent = new Set<Oid>();
  const listing = new Listing(store, filter, sent, isTolerant);
  const given = new Set(haves);
  const had = ancestors(
    store,
    haves.flatMap((oid) => store.peel(oid) ?? []),
    undefined,
    readerShallow,
  );
  for (const oid of haves) {
    const type = store.header(oid)?.type;
    if (type === 'tree') listing.skipTree(oid);
    else if (type === 'tag' || type === 'blob') listing.skip(oid);
  }
  const tips: Oid[] = [];
  const others: { readonly oid: Oid; readonly type: string }[] = [];
  for (const want of wants) {
    let oid = want;
    let header = store.header(oid);
    while (header?.type === 'tag') {
      if (listing.add(oid) === false && given.has(oid)) break;
      oid = /^object ([0-9a-f]{40})\n/.exec(store.read(oid)?.content.toString('latin1', 0, 60) ?? '')?.[1] ?? '';
      header = store.header(oid);
    }
    if (header === undefined && isTolerant) continue;
    if (header === undefined) throw new Unprocessable(`not our ref ${want}`, { code: 'not_our_ref' });
    if (header.type === 'commit') tips.push(oid);
    else others.push({ oid, type: header.type });
  }
  // Behind what a shallow reader has may be commits that it lacks.
  const isDeepened = [...readerShallow].some((oid) => !shallow.has(oid));
  const commits = ancestors(store, tips, (oid) => !isDeepened && had.has(oid), shallow);
  for (const oid of had.keys()) commits.delete(oid);
  const edges = new Set<Oid>();
  for (const commit of commits.values()) {
    listing.add(commit.oid);
    for (const parent of commit.parents) if (had.has(parent)) edges.add(parent);
  }
  for (const oid of [...edges, ...had.keys().filter((each) => given.has(each))]) listing.skipTree(had.get(oid)?.tree);
  for (const { tree } of commits.values()) listing.addTree(tree, 0);
  for (const { oid, type } of others) {
    if (type === 'tree') listing.addTree(oid, 0);
    else listing.add(oid);
  }
  return sent;
}

class Listing {
  readonly #store: ObjectStore;
  readonly #filter: ObjectFilter;
  readonly #sent: Set<Oid>;
  readonly #isTolerant: boolean;
  /** Objects that the reader has. */
  readonly #skipped = new Set<Oid>();
  /** The least depth at which a tree was listed. */
  readonly #depths = new Map<Oid, number>();

  constructor(store: ObjectStore, filter: ObjectFilter, sent: Set<Oid>, isTolerant: boolean) {
    this.#store = store;
    this.#isTolerant = isTolerant;
    this.#filter = filter;
    this.#sent = sent;
  }

  add(oid: Oid): boolean {
    if (this.#skipped.has(oid)) return false;
    this.#sent.add(oid);
    return true;
  }

  skip(oid: Oid): void {
    this.#skipped.add(oid);
  }

  skipTree(root: Oid | undefined): void {
    const open = root === undefined ? [] : [root];
    for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
      if (this.#skipped.has(oid)) continue;
      this.#skipped.add(oid);
      for (const { mode, oid: own } of entriesIn(this.#store.tree(oid) ?? Buffer.alloc(0))) {
        if (mode === folderMode) open.push(own);
        else this.#skipped.add(own);
      }
    }
  }

  addTree(root: Oid, depth: number): void {
    const { treeDepth = Number.POSITIVE_INFINITY, blobBytes = Number.POSITIVE_INFINITY } = this.#filter;
    const open: (readonly [oid: Oid, depth: number])[] = [[root, depth]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [oid, at] = next;
      if (at >= treeDepth || this.#skipped.has(oid)) continue;
      const known = this.#depths.get(oid);
      if (known !== undefined && (known <= at || treeDepth === Number.POSITIVE_INFINITY)) continue;
      this.#depths.set(oid, at);
      const content = this.#store.tree(oid);
      if (content === undefined && this.#isTolerant) continue;
      this.#sent.add(oid);
      if (content === undefined) throw new Unprocessable(`missing tree ${oid}`);
      for (const { mode, oid: own } of entriesIn(content)) {
        if (mode === folderMode) open.push([own, at + 1]);
        else if (mode !== '160000' && at + 1 < treeDepth && !this.#sent.has(own) && !this.#skipped.has(own)) {
          if (blobBytes === Number.POSITIVE_INFINITY || (this.#store.header(own)?.size ?? 0) < blobBytes)
            this.#sent.add(own);
        }
      }
    }
  }
}
