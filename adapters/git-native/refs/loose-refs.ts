// Reads loose refs (gitrepository-layout(5)), one file each. Lists are cached as long as their folders are unchanged.
import { closeSync, fstatSync, open, read, type BigIntStats, type Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Lru } from '#core/kernel/limits/lru';
import { zeroOid, type Oid } from '#core/repositories/git/git-backend';
import { Limiter } from '../process/limiter.ts';
import { TimeSlice } from '#adapters/git-common/waiting/time-slice';
import { errnoOf, ignoreMissing } from '#adapters/git-common/files/errno';
import { fewFiles } from '#adapters/git-common/files/few-files';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { isLegalRef, isOid, nameOf } from '#adapters/git-common/names';

/** The content of a loose file. git treats an invalid file as a broken ref, even if a packed ref has its name. */
export type Loose = { readonly oid: Oid } | { readonly target: string } | 'broken';
/** By raw name (bytes as latin1). */
export type LooseRefs = ReadonlyMap<string, Loose>;

/** Lists that read loose files at the same time. */
const listsAtOnce = 8;
/** Bytes. The longest symbolic ref is shorter, so a longer content is invalid. */
const longestContent = 1200;
/** Milliseconds. A file may be written again within the tick of its clock, so it is not cached before. */
const settledMs = 100;
/** With more folders, checking whether they changed is as much work as reading them. */
const mostFolders = 256;
const [opened, bytesOf] = [promisify(open), promisify(read)];

/**
 * A folder that contains refs, and when names in it were last made, replaced or removed. git never writes into an
 * existing ref.
 */
interface Folder {
  readonly raw: string;
  readonly version: string;
  readonly settled: boolean;
}

/** The result of reading a file. The file is replaced by another one when the ref moves. */
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
  readonly #limiter = new Limiter('lists of refs', { slots: listsAtOnce, queue: Number.POSITIVE_INFINITY });
  /** By folder; weighed by refs. */
  readonly #known = new Lru<Listed>(120_000);
  /** By path. */
  readonly #files = new Lru<Read>(20_000);

  /** The current value of a ref; undefined if it has no loose file. An unchanged file is not read again. */
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

  /** The loose refs in a folder and below. Returns the same map while they are unchanged. */
  async list(location: RepositoryLocation, prefix: string): Promise<LooseRefs> {
    const key = `${location.directory}:${prefix}`;
    const known = this.#known.get(key);
    if (known !== undefined && (await isUnchanged(location, known.folders))) return known.refs;
    const folders: Folder[] = [];
    const names = await namesIn(location, prefix, folders, new TimeSlice());
    const refs = names.length === 0 ? new Map<string, Loose>() : await this.#read(location, names);
    // A ref that vanished before it was read was packed, or the repository was removed; then the list is not cached.
    if (refs.size === names.length && folders.length <= mostFolders && folders.every(({ settled }) => settled))
      this.#known.set(key, { refs, folders }, 1 + refs.size + folders.length);
    return refs;
  }

  async #read(location: RepositoryLocation, names: readonly string[]): Promise<LooseRefs> {
    const found = new Map<string, Loose>();
    await this.#limiter.run(() =>
      fewFiles(names, async (raw) => {
        const read = await readAt(pathOf(location, raw)).catch(ignoreMissingOrLoop);
        // Packed after the folder was read.
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

/** A tab, a newline or similar, or a space. */
const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);

/** Takes a third of the time of readFile in fs/promises, which matters after a push of ten thousand refs. */
async function readAt(path: Buffer): Promise<Read> {
  const file = await opened(path, 'r');
  try {
    // fstat and close do not block. fstat runs before the read, so that a later write changes the version.
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

/** The version of a file that is replaced, and never written into. */
export const versionOf = ({ ino, size, mtimeNs }: BigIntStats): string => `${ino} ${size} ${mtimeNs}`;
export const hasSettled = ({ mtimeMs }: BigIntStats): boolean => Date.now() - Number(mtimeMs) > settledMs;

/**
 * The raw full names of the loose files below a folder of refs, without those that git ignores. Adds the folders to
 * `seen`.
 */
async function namesIn(
  location: RepositoryLocation,
  folder: string,
  seen: Folder[],
  slice: TimeSlice,
): Promise<string[]> {
  // Read before the names, so that a later change of the folder changes its version.
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
