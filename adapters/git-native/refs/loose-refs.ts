// Loose refs (gitrepository-layout(5)): a file each, listed by folder and kept while the folders stay as they are.
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, open, read, type BigIntStats, type Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Lru } from '#core/kernel/lru';
import { zeroOid, type Oid } from '#core/repositories/git-backend';
import { Limiter } from '../process/limiter.ts';
import { TimeSlice } from '../process/time-slice.ts';
import { errnoOf, ignoreMissing } from '../storage/errno.ts';
import { fewFiles } from '../storage/few-files.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { isLegalRef, isOid, nameOf } from './names.ts';

/** What a loose file says; git takes what makes no sense for a broken ref, whatever is packed of that name. */
export type Loose = { readonly oid: Oid } | { readonly target: string } | 'broken';
/** By raw name (bytes as latin1). */
export type LooseRefs = ReadonlyMap<string, Loose>;

/** Lists that read loose files at once. */
const listsAtOnce = 8;
/** More than the longest symbolic ref takes; what lies behind it cannot make sense. */
const longestContent = 1200;
/** What was written just now may be written once more within the tick of its clock. */
const settledMs = 100;
/** With more folders than this, asking whether they changed is no less work than reading them. */
const mostFolders = 256;
const [opened, bytesOf] = [promisify(open), promisify(read)];

/** A folder below which refs are, and when names in it were last made, replaced or removed: git writes into no ref. */
interface Folder {
  readonly raw: string;
  readonly version: string;
  readonly settled: boolean;
}

/** A file as it was read: another takes its place where the ref moves. */
interface Read {
  readonly loose: Loose;
  readonly version: string;
  readonly settled: boolean;
}

interface Listed {
  readonly refs: LooseRefs;
  readonly folders: readonly Folder[];
}

export class LooseRefFiles {
  readonly #limiter = new Limiter('lists of refs', { places: listsAtOnce, queue: Number.POSITIVE_INFINITY });
  /** By folder; weighed by refs. */
  readonly #known = new Lru<Listed>(120_000);
  /** By path. */
  readonly #files = new Lru<Read>(20_000);

  /** One as it is now, undefined where there is none. A file that stays the same one is not read again. */
  async one(location: RepositoryLocation, raw: string): Promise<Loose | undefined> {
    const path = pathOf(location, raw);
    const key = path.toString('latin1');
    const known = this.#files.get(key);
    if (known !== undefined) {
      const now = await stat(path, { bigint: true }).catch(ignoreMissingOrLoop);
      if (now !== undefined && versionOf(now) === known.version) return known.loose;
    }
    const read = await readAt(path).catch(ignoreMissingOrLoop);
    if (read?.settled === true) this.#files.set(key, read);
    return read?.loose;
  }

  /** Those in a folder and below, as they are now: the same map while they stay so. */
  async list(location: RepositoryLocation, prefix: string): Promise<LooseRefs> {
    const key = `${location.directory}:${prefix}`;
    const known = this.#known.get(key);
    if (known !== undefined && (await isUnchanged(location, known.folders))) return known.refs;
    const folders: Folder[] = [];
    const names = await namesIn(location, prefix, folders, new TimeSlice());
    const refs = names.length === 0 ? new Map<string, Loose>() : await this.#read(location, names);
    // One that was gone when it was read was packed meanwhile, or the repository was removed: another look tells.
    if (refs.size === names.length && folders.length <= mostFolders && folders.every(({ settled }) => settled))
      this.#known.set(key, { refs, folders }, 1 + refs.size + folders.length);
    return refs;
  }

  async #read(location: RepositoryLocation, names: readonly string[]): Promise<LooseRefs> {
    const found = new Map<string, Loose>();
    await this.#limiter.run(() =>
      fewFiles(names, async (raw) => {
        const read = await readAt(pathOf(location, raw)).catch(ignoreMissingOrLoop);
        // Packed since the folder was read.
        if (read !== undefined) found.set(raw, read.loose);
      }),
    );
    return found;
  }
}

function parsed(text: string): Loose {
  const oid = text.slice(0, 40);
  if (isOid(oid) && oid !== zeroOid && (text.length === 40 || isBlank(text.charCodeAt(40)))) return { oid };
  if (!text.startsWith('ref:')) return 'broken';
  let [from, to] = ['ref:'.length, text.length];
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
  const target = text.slice(from, to);
  return target.startsWith('refs/') && isLegalRef(nameOf(target) ?? '') ? { target } : 'broken';
}

/** A tab, a newline and the like, or a space. */
const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);

/** A third of the time that fs/promises' readFile takes, which tells where a push has left ten thousand refs. */
async function readAt(path: Buffer): Promise<Read> {
  const file = await opened(path, 'r');
  try {
    // Neither this nor the closing waits for anything. Before the bytes: what is written into it afterwards changes it.
    const found = fstatSync(file, { bigint: true });
    const { bytesRead, buffer } = await bytesOf(file, Buffer.allocUnsafe(longestContent), 0, longestContent, 0);
    return {
      loose: parsed(buffer.toString('latin1', 0, bytesRead)),
      version: versionOf(found),
      settled: hasSettled(found),
    };
  } finally {
    closeSync(file);
  }
}

/** Of a file that is replaced, and never written into. */
export const versionOf = ({ ino, size, mtimeNs }: BigIntStats): string => `${ino} ${size} ${mtimeNs}`;
export const hasSettled = ({ mtimeMs }: BigIntStats): boolean => Date.now() - Number(mtimeMs) > settledMs;

/** Raw full names of the loose files below a folder of refs, but for those git passes over; the folders join `seen`. */
async function namesIn(
  location: RepositoryLocation,
  folder: string,
  seen: Folder[],
  slice: TimeSlice,
): Promise<string[]> {
  // Before its names: what comes to it afterwards changes it.
  const own = await folderAt(location, folder);
  const entries: readonly Dirent<Buffer>[] | undefined = await readdir(pathOf(location, folder), {
    withFileTypes: true,
    encoding: 'buffer',
  }).catch(ignoreMissing);
  seen.push(entries === undefined && own.version !== '' ? { ...own, settled: false } : own);
  const names: string[] = [];
  const folders: string[] = [];
  for (const entry of entries ?? []) {
    if (slice.over) await slice.rest();
    const raw = `${folder}${entry.name.toString('latin1')}`;
    if (!isLegalRef(nameOf(raw) ?? '')) continue;
    if (entry.isDirectory()) folders.push(`${raw}/`);
    else if (entry.isFile() || entry.isSymbolicLink()) names.push(raw);
  }
  const below = await Promise.all(folders.map((each) => namesIn(location, each, seen, slice)));
  return folders.length === 0 ? names : [names, ...below].flat();
}

async function isUnchanged(location: RepositoryLocation, folders: readonly Folder[]): Promise<boolean> {
  const now = await Promise.all(folders.map(({ raw }) => folderAt(location, raw)));
  return now.every(({ version }, index) => version === folders[index]?.version);
}

async function folderAt(location: RepositoryLocation, raw: string): Promise<Folder> {
  const found = await stat(pathOf(location, raw), { bigint: true }).catch(ignoreMissing);
  if (found === undefined) return { raw, version: '', settled: true };
  return {
    raw,
    version: `${found.ino} ${found.mtimeNs}`,
    settled: hasSettled(found),
  };
}

const pathOf = ({ directory }: RepositoryLocation, raw: string): Buffer =>
  Buffer.concat([Buffer.from(`${directory}/`, 'utf8'), Buffer.from(raw, 'latin1')]);
const ignoreMissingOrLoop = (error: unknown): undefined =>
  errnoOf(error) === 'ELOOP' ? undefined : ignoreMissing(error);
