// Reads and parses commits and trees by oid, with LRU caches. Objects are immutable, so no entry is ever stale.
import { Unprocessable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git/git-backend';
import { isOid } from '#adapters/git-common/names';
import { SingleFlightCache } from '../process/single-flight-cache.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { CatFilePool } from './cat-file-pool.ts';
import { largestRead, type ObjectHeader, type ReadObject } from './cat-file.ts';
import { longestHead } from './commit-head.ts';
import { Tree } from './tree.ts';
import { WithParts } from '../with-parts.ts';

export interface Commit {
  readonly oid: Oid;
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  /** Seconds since 1970, by which git orders commits. */
  readonly committed: number;
}

export class Objects extends WithParts<{ readonly catFiles: CatFilePool }> {
  /** Weighed by characters. */
  readonly #commits = new SingleFlightCache<Commit | undefined>(6_000_000, ({ parents }) => 200 + 40 * parents.length);
  /** Weighed by bytes. */
  readonly #trees = new SingleFlightCache<Tree | undefined>(32 * 1024 ** 2, ({ content }) => 300 + content.length);

  header(location: RepositoryLocation, oid: Oid): Promise<ObjectHeader | undefined> {
    return this.parts.catFiles.info(location.directory, oid);
  }

  /** @throws {Unprocessable} if the object is larger than `largestRead`. */
  async contents(location: RepositoryLocation, oid: Oid): Promise<WholeObject | undefined> {
    const object = await this.parts.catFiles.contents(location.directory, oid);
    if (object === undefined || isWhole(object)) return object;
    throw new Unprocessable(`The ${object.type} is too large to be read`, {
      detail: `"${oid}" has ${object.size} bytes; ${largestRead} are allowed`,
    });
  }

  /** Leaves out the content of an object larger than `most` bytes. */
  small(location: RepositoryLocation, oid: Oid, most: number): Promise<ReadObject | undefined> {
    return this.parts.catFiles.contents(location.directory, oid, most);
  }

  /** The commit that an oid names, which may be that of a tag that leads to a commit. */
  async peel(location: RepositoryLocation, oid: Oid): Promise<Oid | undefined> {
    return (await this.parts.catFiles.info(location.directory, `${oid}^{commit}`))?.oid;
  }

  /**
   * Whether an object exists and has the type. Oids from callers must be checked by it before they are given to the
   * three methods below.
   */
  async is(location: RepositoryLocation, oid: Oid, type: 'commit' | 'tree'): Promise<boolean> {
    if ((type === 'commit' ? this.#commits : this.#trees).known(keyOf(location, oid)) !== undefined) return true;
    const found = isOid(oid) ? await this.header(location, oid) : undefined;
    return found?.type === type;
  }

  commit(location: RepositoryLocation, oid: Oid): Promise<Commit | undefined> {
    return this.#commits.get(keyOf(location, oid), undefined, async () => {
      const object = await this.contents(location, oid);
      return object?.type === 'commit' ? parseCommit(oid, object.content) : undefined;
    });
  }

  tree(location: RepositoryLocation, oid: Oid): Promise<Tree | undefined> {
    return this.#trees.get(keyOf(location, oid), undefined, async () => {
      const object = await this.contents(location, oid);
      return object?.type === 'tree' ? new Tree(object.content) : undefined;
    });
  }

  /** The oid of the tree at `path` below a root tree; undefined if there is no such folder. */
  async folder(location: RepositoryLocation, root: Oid, path: readonly string[]): Promise<Oid | undefined> {
    let oid = root;
    for (const segment of path) {
      const entry = await (await this.tree(location, oid))?.find(segment);
      if (entry?.mode !== '040000') return undefined;
      oid = entry.oid;
    }
    return oid;
  }
}

interface WholeObject extends ReadObject {
  readonly content: Buffer;
}

const isWhole = (object: ReadObject): object is WholeObject => object.content !== undefined;

const keyOf = (location: RepositoryLocation, oid: Oid): string => `${location.cacheKey}:${oid}`;

export function parseCommit(oid: Oid, content: Buffer): Commit {
  const split = content.subarray(0, longestHead).indexOf('\n\n');
  const head = content.toString('latin1', 0, split < 0 ? longestHead : split);
  const parents: Oid[] = [];
  let tree = '';
  let committed = 0;
  let at = 0;
  for (const line of head.split('\n')) {
    // Read from the content again: a substring of the line would keep the whole head in memory.
    if (line.startsWith('parent ')) parents.push(content.toString('latin1', at + 7, at + 47));
    else if (line.startsWith('tree ')) tree = content.toString('latin1', at + 5, at + 45);
    else if (line.startsWith('committer ')) committed = Number(/> (\d{1,12})/.exec(line)?.[1] ?? 0);
    at += line.length + 1;
  }
  return { oid, tree, parents, committed };
}
