// Reads commit-graph files (gitformat-commit-graph(5)) without a git process: parents, dates, generation numbers and
// changed-path Bloom filters.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Oid } from '#core/repositories/git/git-backend';
import { isOid } from '#adapters/git-common/names';
import { ignoreMissing } from '#adapters/git-common/files/errno';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { SingleFlightCache } from '../process/single-flight-cache.ts';

export interface GraphCommit {
  readonly oid: Oid;
  readonly parents: readonly Oid[];
  /** Seconds since 1970. */
  readonly committed: number;
  /** The Bloom filter of the paths that differ from the first parent; undefined if none was written. */
  readonly filter: Buffer | undefined;
  /** The positions of the parents; empty if the commit is not in the graph. */
  readonly positions: readonly number[];
}

/** Bytes of all cached layers. A larger layer is not cached, but concurrent readers share one read. */
const capacity = 96 * 1024 ** 2;
/** Bytes: a graph of some million commits. A larger one is ignored, and commits are read as objects. */
const largestGraph = 512 * 1024 ** 2;

export class CommitGraphs {
  /** By repository and hash. The hash identifies the content, so a cached layer is never stale. */
  readonly #layers = new SingleFlightCache<Layer | undefined>(capacity, ({ bytes }) => bytes);

  /** The current commit-graph; undefined if it does not exist or cannot be read. */
  async of(location: RepositoryLocation): Promise<CommitGraph | undefined> {
    const folder = join(location.directory, 'objects', 'info', 'commit-graphs');
    const chain = await readFile(join(folder, 'commit-graph-chain'), 'latin1').catch(ignoreMissing);
    const layers: Layer[] = [];
    let bytes = 0;
    for (const hash of chain?.split('\n').filter(isOid) ?? []) {
      const layer = await this.#layer(location, folder, hash, layers.length);
      bytes += layer?.bytes ?? 0;
      // The file of a layer is missing if maintenance has just replaced the chain.
      if (layer === undefined || bytes > largestGraph) return undefined;
      layers.push(layer);
    }
    return layers.length === 0 ? undefined : new CommitGraph(layers);
  }

  #layer(location: RepositoryLocation, folder: string, hash: string, below: number): Promise<Layer | undefined> {
    return this.#layers.get(`${location.cacheKey}:${hash}`, undefined, async () => {
      const content = await readFile(join(folder, `graph-${hash}.graph`)).catch(ignoreMissing);
      return content === undefined ? undefined : parseLayer(content, below);
    });
  }
}

export class CommitGraph {
  /** The number of commits. All positions are below it. */
  readonly count: number;
  /** Oldest first; positions count through all layers. */
  readonly #layers: readonly Layer[];

  constructor(layers: readonly Layer[]) {
    this.#layers = layers;
    this.count = layers.reduce((count, layer) => count + layer.count, 0);
  }

  find(oid: Oid): GraphCommit | undefined {
    const position = this.position(oid);
    const [layer, own = 0] = position === undefined ? [] : this.#at(position);
    return layer === undefined ? undefined : this.#commit(layer, own, oid);
  }

  position(oid: Oid): number | undefined {
    let first = this.count;
    for (const layer of this.#layers.toReversed()) {
      first -= layer.count;
      const index = layer.indexOf(oid);
      if (index !== undefined) return first + index;
    }
    return undefined;
  }

  /** The positions of the parents of the commit at `position`. */
  parentsAt(position: number): readonly number[] {
    const [layer, own = 0] = this.#at(position);
    return layer?.parents(own) ?? [];
  }

  /** The generation number, which is higher than those of the parents; 0 if none was written. */
  generation(position: number): number {
    const [layer, own = 0] = this.#at(position);
    return layer?.generation(own) ?? 0;
  }

  /** A parent by its index. The search by oid is skipped if the position of the parent is known. */
  parent(commit: GraphCommit, index: number): GraphCommit | undefined {
    const position = commit.positions[index];
    const [layer, own = 0] = position === undefined ? [] : this.#at(position);
    if (layer !== undefined) return this.#commit(layer, own, layer.oid(own));
    const oid = commit.parents[index];
    return oid === undefined ? undefined : this.find(oid);
  }

  /** Undefined if the position of a parent is in no layer. */
  #commit(layer: Layer, index: number, oid: Oid): GraphCommit | undefined {
    const positions = layer.parents(index);
    if (!positions.every((position) => this.#at(position).length > 0)) return undefined;
    const oidAt = (position: number): Oid => {
      const [holder, own = 0] = this.#at(position);
      return holder?.oid(own) ?? '';
    };
    // Fields are read on demand, because a walk skips most commits after a look at their filter.
    return {
      oid,
      positions,
      get parents() {
        return positions.map(oidAt);
      },
      get committed() {
        return layer.committed(index);
      },
      get filter() {
        return layer.filter(index);
      },
    };
  }

  #at(position: number): readonly [Layer, number] | readonly [] {
    let index = position;
    for (const layer of this.#layers) {
      if (index < layer.count) return [layer, index];
      index -= layer.count;
    }
    return [];
  }
}

/** Bytes of the chunks of gitformat-commit-graph(5), by name. */
type Chunks = ReadonlyMap<string, Buffer>;

const oidBytes = 20;
const commitBytes = oidBytes + 16;
const noParent = 0x7000_0000;
const high = 0x8000_0000;
/** Bytes before the filters: the version of the hash, the number of hashes, and the bits per path. */
const filterHeader = 12;

class Layer {
  readonly count: number;
  readonly bytes: number;
  readonly #fanout: Buffer;
  readonly #oids: Buffer;
  readonly #commits: Buffer;
  readonly #edges: Buffer | undefined;
  readonly #ends: Buffer | undefined;
  readonly #filters: Buffer | undefined;

  constructor(parts: {
    readonly fanout: Buffer;
    readonly oids: Buffer;
    readonly commits: Buffer;
    readonly chunks: Chunks;
    readonly bytes: number;
  }) {
    this.#fanout = parts.fanout;
    this.#oids = parts.oids;
    this.#commits = parts.commits;
    this.count = parts.oids.length / oidBytes;
    this.bytes = parts.bytes;
    this.#edges = parts.chunks.get('EDGE');
    const [ends, filters] = [parts.chunks.get('BIDX'), parts.chunks.get('BDAT')];
    if (ends?.length !== 4 * this.count || filters === undefined || filters.length < filterHeader) return;
    // Filters are used only if they have seven probes of murmur3, as `mayContain` implements them.
    if (filters.readUInt32BE(0) > 2 || filters.readUInt32BE(4) !== probes) return;
    this.#ends = ends;
    this.#filters = filters.subarray(filterHeader);
  }

  indexOf(oid: Oid): number | undefined {
    const byte = Number.parseInt(oid.slice(0, 2), 16);
    let low = byte === 0 ? 0 : this.#fanout.readUInt32BE(4 * (byte - 1));
    const end = Math.min(this.#fanout.readUInt32BE(4 * byte), this.count);
    const begins = Number.parseInt(oid.slice(0, 8), 16);
    for (let beyond = end; low < beyond;) {
      const middle = (low + beyond) >>> 1;
      if (this.#oids.readUInt32BE(oidBytes * middle) < begins) low = middle + 1;
      else beyond = middle;
    }
    for (let index = low; index < end && this.#oids.readUInt32BE(oidBytes * index) === begins; index += 1)
      if (this.oid(index) === oid) return index;
    return undefined;
  }

  oid(index: number): Oid {
    return this.#oids.toString('hex', oidBytes * index, oidBytes * (index + 1));
  }

  committed(index: number): number {
    const at = commitBytes * index + oidBytes + 8;
    return (this.#commits.readUInt32BE(at) & 3) * 2 ** 32 + this.#commits.readUInt32BE(at + 4);
  }

  generation(index: number): number {
    return this.#commits.readUInt32BE(commitBytes * index + oidBytes + 8) >>> 2;
  }

  /** The positions of the parents. */
  parents(index: number): readonly number[] {
    const at = commitBytes * index + oidBytes;
    const first = this.#commits.readUInt32BE(at);
    if (first === noParent) return [];
    const second = this.#commits.readUInt32BE(at + 4);
    if (second === noParent) return [first];
    if (second < high) return [first, second];
    const parents = [first];
    for (let edge = 4 * (second - high); ; edge += 4) {
      // An edge list without an end is corrupt. The infinite position makes the caller read the commit as an object.
      if (this.#edges === undefined || edge + 4 > this.#edges.length) return [Number.POSITIVE_INFINITY];
      const parent = this.#edges.readUInt32BE(edge);
      parents.push(parent % high);
      if (parent >= high) return parents;
    }
  }

  filter(index: number): Buffer | undefined {
    if (this.#ends === undefined || this.#filters === undefined) return undefined;
    const from = index === 0 ? 0 : this.#ends.readUInt32BE(4 * (index - 1));
    const to = this.#ends.readUInt32BE(4 * index);
    return from < to && to <= this.#filters.length ? this.#filters.subarray(from, to) : undefined;
  }
}

/** Parses a layer; undefined if the content is not a layer with `below` layers below it. */
export function parseLayer(content: Buffer, below: number): Layer | undefined {
  const [head, named] = [8, 12];
  if (
    content.length < head ||
    content.toString('latin1', 0, 4) !== 'CGPH' ||
    content[4] !== 1 ||
    content[5] !== 1 ||
    content[7] !== below
  )
    return undefined;
  const count = content[6] ?? 0;
  if (content.length < head + named * (count + 1)) return undefined;
  const chunks = new Map<string, Buffer>();
  const offset = (index: number): number => Number(content.readBigUInt64BE(head + named * index + 4));
  for (let index = 0; index < count; index += 1)
    chunks.set(
      content.toString('latin1', head + named * index, head + named * index + 4),
      content.subarray(offset(index), offset(index + 1)),
    );
  const [fanout, oids, commits] = [chunks.get('OIDF'), chunks.get('OIDL'), chunks.get('CDAT')];
  if (fanout?.length !== 4 * 256 || oids === undefined || commits?.length !== (oids.length / oidBytes) * commitBytes)
    return undefined;
  return new Layer({ fanout, oids, commits, chunks, bytes: content.length });
}

const probes = 7;

/** The two hashes from which git derives the bits that a changed path sets. */
export interface BloomKey {
  readonly first: number;
  readonly step: number;
}

/** Undefined for a path that is not ASCII, because versions of git hash such bytes differently. */
export function bloomKey(path: string): BloomKey | undefined {
  for (let at = 0; at < path.length; at += 1) if (path.charCodeAt(at) > 0x7f) return undefined;
  return { first: murmur3(path, 0x293a_e76f), step: murmur3(path, 0x7e64_6e2c) };
}

/** False if the filter proves that nothing at the path was changed. */
export function mayContain(filter: Buffer, { first, step }: BloomKey): boolean {
  const bits = 8 * filter.length;
  for (let probe = 0, hash = first; probe < probes; probe += 1, hash = (hash + step) >>> 0) {
    const bit = hash % bits;
    if (((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

/** MurmurHash3, 32 bits, of ASCII text. */
function murmur3(text: string, seed: number): number {
  const mixed = (block: number): number => {
    const k = Math.imul(block, 0xcc9e_2d51);
    return Math.imul((k << 15) | (k >>> 17), 0x1b87_3593);
  };
  let hash = seed;
  const whole = text.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    hash ^= mixed(
      text.charCodeAt(at) |
        (text.charCodeAt(at + 1) << 8) |
        (text.charCodeAt(at + 2) << 16) |
        (text.charCodeAt(at + 3) << 24),
    );
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe654_6b64) | 0;
  }
  let tail = 0;
  for (let at = text.length - 1; at >= whole; at -= 1) tail = (tail << 8) | text.charCodeAt(at);
  if (whole < text.length) hash ^= mixed(tail);
  hash ^= text.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
