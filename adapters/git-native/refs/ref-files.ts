// Reads git's files backend for refs (gitrepository-layout(5)) without a process: loose ref files take precedence over
// `packed-refs`.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Lru } from '#core/kernel/limits/lru';
import type { Oid, Ref } from '#core/repositories/git/git-backend';
import { SingleFlightCache } from '../process/single-flight-cache.ts';
import { TimeSlice } from '#adapters/git-common/waiting/time-slice';
import { ignoreMissing } from '#adapters/git-common/files/errno';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { hasSettled, LooseRefFiles, versionOf, type Loose, type LooseRefs } from './loose-refs.ts';
import { isOid, nameOf } from '#adapters/git-common/names';

/** A symbolic ref may point to another one. A longer chain is taken for a loop. */
const deepest = 5;

export interface StoredRef {
  readonly ref: Ref;
  /** False if it is certainly not an annotated tag; otherwise its object must be read. */
  readonly mayBeTag: boolean;
}

/** By raw name (bytes as latin1), whose order is git's. */
type StoredRefs = ReadonlyMap<string, StoredRef>;

/** A list, and the refs from which it was made. */
interface RefList {
  readonly loose: LooseRefs;
  readonly packed: StoredRefs | undefined;
  readonly refs: readonly StoredRef[];
}

/** Bytes of a ref with its name, and of all cached packed refs. */
const [refBytes, mostKept] = [350, 32 * 1024 ** 2];

export class RefFiles {
  readonly #loose = new LooseRefFiles();
  /** By file and version; weighed by bytes. */
  readonly #packed = new SingleFlightCache<StoredRefs>(mostKept, (refs) => refBytes * (1 + refs.size));
  /** Weighed by refs. */
  readonly #lists = new Lru<RefList>(120_000);

  /** The current oid of a full ref name (or of `HEAD`). */
  async read(location: RepositoryLocation, name: string): Promise<Oid | undefined> {
    let raw = Buffer.from(name, 'utf8').toString('latin1');
    for (let depth = 0; depth < deepest; depth += 1) {
      // The loose file first: git writes the packed ref before it removes the loose one.
      const loose = await this.#loose.one(location, raw);
      if (loose === 'broken') return undefined;
      if (loose === undefined) return (await this.#packedRefs(location))?.get(raw)?.ref.oid;
      if ('oid' in loose) return loose.oid;
      raw = loose.target;
    }
    return undefined;
  }

  /**
   * The refs whose full name begins with `prefix`, the name of a folder, in git's order. Returns the same array while
   * no ref changes.
   * @throws if the repository does not exist.
   */
  async list(location: RepositoryLocation, prefix: string): Promise<readonly StoredRef[]> {
    // In this order for the same reason as in `read`.
    const loose = await this.#loose.list(location, prefix);
    const packed = await this.#packedRefs(location);
    // If the repository was removed during the reads, the list is incomplete. A `HEAD` that still exists shows that it
    // was not.
    if (packed === undefined) await stat(join(location.directory, 'HEAD'));
    const key = `${location.directory}:${prefix}`;
    const known = this.#lists.get(key);
    if (known !== undefined && known.loose === loose && known.packed === packed) return known.refs;
    const refs = await this.#merged(location, prefix, loose, packed);
    // A symbolic ref changes with its target, which may be in another folder.
    if (!loose.values().some((each) => each !== 'broken' && 'target' in each))
      this.#lists.set(key, { loose, packed, refs }, 1 + refs.length);
    return refs;
  }

  async #merged(
    location: RepositoryLocation,
    prefix: string,
    loose: LooseRefs,
    packed: StoredRefs | undefined,
  ): Promise<readonly StoredRef[]> {
    const slice = new TimeSlice();
    const names: string[] = [];
    for (const raw of packed?.keys() ?? []) {
      if (raw.startsWith(prefix) && !loose.has(raw)) names.push(raw);
      if (slice.over) await slice.rest();
    }
    // Two sorted runs, which the sort merges in linear time.
    names.push(...[...loose.keys()].sort());
    names.sort();
    const refs: StoredRef[] = [];
    for (const raw of names) {
      const own = loose.get(raw);
      const stored = own === undefined ? packed?.get(raw) : await this.#stored(location, raw, own);
      if (stored !== undefined) refs.push(stored);
      if (slice.over) await slice.rest();
    }
    return refs;
  }

  /** Undefined for a broken ref, and for a symbolic one without a target. */
  async #stored(location: RepositoryLocation, raw: string, loose: Loose): Promise<StoredRef | undefined> {
    if (loose === 'broken') return undefined;
    const oid = 'oid' in loose ? loose.oid : await this.read(location, nameOf(loose.target) ?? '');
    const name = nameOf(raw);
    return oid === undefined || name === undefined ? undefined : { ref: { name, oid }, mayBeTag: !isBranch(raw) };
  }

  /** Undefined if no ref has been packed yet. */
  async #packedRefs(location: RepositoryLocation): Promise<StoredRefs | undefined> {
    const path = join(location.directory, 'packed-refs');
    const found = await stat(path, { bigint: true }).catch(ignoreMissing);
    if (found === undefined) return undefined;
    const read = async (): Promise<StoredRefs> => await parsePacked(await readFile(path, 'latin1'));
    // A recently written file may have been replaced without a change of its version, so its content is not shared.
    return hasSettled(found) ? await this.#packed.get(`${path} ${versionOf(found)}`, undefined, read) : await read();
  }
}

/** In git a branch always points to a commit. */
const isBranch = (raw: string): boolean => raw.startsWith('refs/heads/');

/**
 * Parses the file as git writes it: `# pack-refs with: …`, then `<oid> <name>` for each ref, and `^<oid>` after a ref
 * to a tag object.
 */
async function parsePacked(text: string): Promise<StoredRefs> {
  const refs = new Map<string, StoredRef>();
  const slice = new TimeSlice();
  const head = text.slice(0, Math.max(0, text.indexOf('\n')));
  const fullyPeeled = head.startsWith('# pack-refs with:') && head.includes(' fully-peeled ');
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    const oid = text.slice(at, at + 40);
    if (text[at + 40] === ' ' && end > at + 41 && isOid(oid)) {
      const raw = text.slice(at + 41, end);
      const name = nameOf(raw);
      if (name !== undefined)
        refs.set(raw, { ref: { name, oid }, mayBeTag: !isBranch(raw) && (!fullyPeeled || text[end + 1] === '^') });
    }
    at = end + 1;
    if (slice.over) await slice.rest();
  }
  return refs;
}
