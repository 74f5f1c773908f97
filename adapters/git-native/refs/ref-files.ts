// Git's files back end for refs (gitrepository-layout(5)), read without a process: loose ref files over `packed-refs`.
import { Buffer, isUtf8 } from 'node:buffer';
import { closeSync, open, read, type Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Lru } from '#core/kernel/lru';
import { zeroOid, type Oid, type Ref } from '#core/repositories/git-backend';
import { Limiter } from '../process/limiter.ts';
import { errnoOf, ignoreMissing } from '../storage/errno.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { isLegalRef, isOid } from './names.ts';

/** A symbolic ref may lead to another; more than this is a loop. */
const deepest = 5;
/** Lists that read loose files at once, and the files each of them has open. */
const listsAtOnce = 8;
const filesAtOnce = 16;
/** A file that was written just now may be replaced once more by one of the same inode, size and time. */
const settledMs = 100;

export interface StoredRef {
  readonly ref: Ref;
  /** False where it is surely no annotated tag; else its object tells. */
  readonly mayBeTag: boolean;
}

/** By raw name (bytes as latin1), whose order is git's. */
type StoredRefs = ReadonlyMap<string, StoredRef>;

interface PackedRefs {
  /** Inode, size and time: git replaces the file, it never writes into it. */
  readonly version: string;
  readonly refs: StoredRefs;
}

/** What a loose file says; git takes what makes no sense for a broken ref, whatever is packed of that name. */
type Loose = { readonly oid: Oid } | { readonly target: string } | 'broken';

/** More than the longest symbolic ref takes; what lies behind it cannot make sense. */
const longestContent = 1200;
const [opened, bytesOf] = [promisify(open), promisify(read)];

export class RefFiles {
  readonly #lists = new Limiter('lists of refs', { places: listsAtOnce, queue: Number.POSITIVE_INFINITY });
  /** Weighed by refs. */
  readonly #packed = new Lru<PackedRefs>(200_000);

  /** The oid a full ref name (or `HEAD`) has now. */
  async read(location: RepositoryLocation, name: string): Promise<Oid | undefined> {
    let raw = Buffer.from(name, 'utf8').toString('latin1');
    for (let depth = 0; depth < deepest; depth += 1) {
      // The loose file first: packing a ref writes the packed one before it removes the loose one.
      const loose = await looseOf(location, raw);
      if (loose === 'broken') return undefined;
      if (loose === undefined) return (await this.#packedRefs(location))?.get(raw)?.ref.oid;
      if ('oid' in loose) return loose.oid;
      raw = loose.target;
    }
    return undefined;
  }

  /** Those whose full name begins with `prefix`, a folder's; in git's order. @throws where the repository is gone */
  async list(location: RepositoryLocation, prefix: string): Promise<readonly StoredRef[]> {
    // In this order for the same reason as above.
    const loose = await this.#loose(location, prefix);
    const packed = await this.#packedRefs(location);
    // What was read before a repository went is half of it. A file that is there after all reading shows that it did
    // not.
    if (packed === undefined) await stat(join(location.directory, 'HEAD'));
    const names = [...(packed?.keys() ?? [])]
      .filter((raw) => raw.startsWith(prefix) && !loose.has(raw))
      .concat([...loose.keys()]);
    return names.sort().flatMap((raw) => (loose.has(raw) ? loose : packed)?.get(raw) ?? []);
  }

  /** Undefined for a broken one, and for a symbolic one that leads nowhere. */
  async #loose(location: RepositoryLocation, prefix: string): Promise<ReadonlyMap<string, StoredRef | undefined>> {
    const waiting = await namesIn(location, prefix);
    const found = new Map<string, StoredRef | undefined>();
    const worker = async (): Promise<void> => {
      for (let raw = waiting.pop(); raw !== undefined; raw = waiting.pop()) {
        const loose = await looseOf(location, raw);
        // Packed since the folder was read.
        if (loose === undefined) continue;
        const oid =
          loose === 'broken'
            ? undefined
            : 'oid' in loose
              ? loose.oid
              : await this.read(location, nameOf(loose.target) ?? '');
        const name = nameOf(raw);
        found.set(
          raw,
          oid === undefined || name === undefined ? undefined : { ref: { name, oid }, mayBeTag: !isBranch(raw) },
        );
      }
    };
    if (waiting.length > 0)
      await this.#lists.run(() => Promise.all(Array.from({ length: Math.min(filesAtOnce, waiting.length) }, worker)));
    return found;
  }

  /** Undefined where nothing was packed yet. */
  async #packedRefs(location: RepositoryLocation): Promise<StoredRefs | undefined> {
    const path = join(location.directory, 'packed-refs');
    const found = await stat(path, { bigint: true }).catch(ignoreMissing);
    if (found === undefined) return undefined;
    const version = `${found.ino} ${found.size} ${found.mtimeNs}`;
    const known = this.#packed.get(location.directory);
    if (known?.version === version) return known.refs;
    const refs = parsePacked(await readFile(path, 'latin1'));
    if (Date.now() - Number(found.mtimeMs) > settledMs)
      this.#packed.set(location.directory, { version, refs }, 1 + refs.size);
    return refs;
  }
}

/**
 * Undefined for bytes that are no UTF-8: read as text they would be the name of another ref, so such a ref is neither
 * listed nor reached by a name.
 */
function nameOf(raw: string): string | undefined {
  const bytes = Buffer.from(raw, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** git moves no branch to what is no commit. */
const isBranch = (raw: string): boolean => raw.startsWith('refs/heads/');

async function looseOf(location: RepositoryLocation, raw: string): Promise<Loose | undefined> {
  const text = await contentOf(pathOf(location, raw)).catch(ignoreMissingOrLoop);
  if (text === undefined) return undefined;
  const [, oid, target] = /^(?:([0-9a-f]{40})(?:[\t-\r ]|$)|ref:[\t-\r ]*(refs\/.*?)[\t-\r ]*$)/s.exec(text) ?? [];
  if (oid !== undefined && oid !== zeroOid) return { oid };
  return target !== undefined && isLegalRef(nameOf(target) ?? '') ? { target } : 'broken';
}

/** A third of the time that fs/promises' readFile takes, which tells where a push has left ten thousand refs. */
async function contentOf(path: Buffer): Promise<string> {
  const file = await opened(path, 'r');
  try {
    const { bytesRead, buffer } = await bytesOf(file, Buffer.allocUnsafe(longestContent), 0, longestContent, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    // Waits for nothing where nothing was written.
    closeSync(file);
  }
}

/** Raw full names of the loose files below a folder of refs, but for those git passes over. */
async function namesIn(location: RepositoryLocation, folder: string): Promise<string[]> {
  const entries: readonly Dirent<Buffer>[] =
    (await readdir(pathOf(location, folder), { withFileTypes: true, encoding: 'buffer' }).catch(ignoreMissing)) ?? [];
  const names: string[] = [];
  const folders: string[] = [];
  for (const entry of entries) {
    const raw = `${folder}${entry.name.toString('latin1')}`;
    if (!isLegalRef(nameOf(raw) ?? '')) continue;
    if (entry.isDirectory()) folders.push(`${raw}/`);
    else if (entry.isFile() || entry.isSymbolicLink()) names.push(raw);
  }
  const below = await Promise.all(folders.map((each) => namesIn(location, each)));
  return folders.length === 0 ? names : [names, ...below].flat();
}

/**
 * As git writes it: `# pack-refs with: …`, then `<oid> <name>` for each ref, and `^<oid>` after one whose object is a
 * tag.
 */
function parsePacked(text: string): StoredRefs {
  const refs = new Map<string, StoredRef>();
  const lines = text.split('\n');
  const fullyPeeled = lines[0]?.startsWith('# pack-refs with:') === true && lines[0].includes(' fully-peeled ');
  for (const [index, line] of lines.entries()) {
    const [oid, raw] = [line.slice(0, 40), line.slice(41)];
    const name = nameOf(raw);
    if (!isOid(oid) || line[40] !== ' ' || name === undefined) continue;
    refs.set(raw, {
      ref: { name, oid },
      mayBeTag: !isBranch(raw) && (!fullyPeeled || lines[index + 1]?.startsWith('^') === true),
    });
  }
  return refs;
}

const pathOf = ({ directory }: RepositoryLocation, raw: string): Buffer =>
  Buffer.concat([Buffer.from(`${directory}/`, 'utf8'), Buffer.from(raw, 'latin1')]);
const ignoreMissingOrLoop = (error: unknown): undefined =>
  errnoOf(error) === 'ELOOP' ? undefined : ignoreMissing(error);
