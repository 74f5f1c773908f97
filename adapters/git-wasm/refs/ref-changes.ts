// Moves refs as git does, so that both may write in one repository: `<ref>.lock` excludes other writers, the old value
// is compared under it, and a rename moves the ref.
import { mkdir, readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable, ValidationFailed } from '#core/kernel/errors';
import { zeroOid, type Oid, type Ref, type RefUpdate } from '#core/repositories/git/git-backend';
import type { Moving } from '#core/repositories/git/git-refs';
import { syncRefs, writeSynced } from '#adapters/git-common/files/durable-files';
import { errnoOf, ignoreMissing } from '#adapters/git-common/files/errno';
import { isLegalRef, isOid, nameOf } from '#adapters/git-common/names';
import { looseNames, looseRef, pathOf, type RefFiles } from './ref-files.ts';

/** Milliseconds to wait for the lock of another process: of a ref, and of `packed-refs`. */
const [refWaitMs, packedWaitMs] = [2000, 5000];
/** Milliseconds. No change of refs takes longer. */
const longestLockMs = 10 * 60_000;

export class RefChanges {
  readonly #files: RefFiles;
  /** The last change of each repository: changes of one process wait for each other here. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(files: RefFiles) {
    this.#files = files;
  }

  /** Moves all or none. Durable when it resolves to `moved`. */
  async move(directory: string, updates: readonly RefUpdate[]): Promise<Moving> {
    for (const update of updates) assertUpdate(update);
    return await this.#alone(directory, () => this.#move(directory, updates));
  }

  /** Moves loose refs into `packed-refs`. */
  async pack(directory: string): Promise<void> {
    await this.#alone(directory, async () => {
      const names = (await looseNames(directory, 'refs/')).filter((raw) => !raw.startsWith('refs/bisect/'));
      await this.#lockPacked(directory, async (packed) => {
        const all = new Map(packed);
        for (const raw of names) {
          const loose = await looseRef(directory, raw);
          if (loose !== undefined && loose !== 'broken' && 'oid' in loose) all.set(raw, loose.oid);
        }
        return all;
      });
      const packed = await this.#files.packed(directory);
      for (const raw of names) await this.#prunePacked(directory, raw, packed.get(raw));
    });
  }

  /** Adds refs to a repository that has none of them. Durable when it resolves. */
  async addAll(directory: string, refs: readonly Ref[]): Promise<void> {
    const added = refs.map(({ name, oid }) => [Buffer.from(name, 'utf8').toString('latin1'), oid] as const);
    await this.#alone(directory, () => this.#lockPacked(directory, async (packed) => new Map([...packed, ...added])));
  }

  /** Removes a loose file whose value is packed, under its lock. */
  async #prunePacked(directory: string, raw: string, oid: Oid | undefined): Promise<void> {
    const path = pathOf(directory, raw);
    const lock = join(directory, `${nameOf(raw) ?? raw}.lock`);
    const taken = await writeSynced(lock, '').then(
      () => true,
      () => false,
    );
    if (!taken) return;
    try {
      const loose = await looseRef(directory, raw);
      if (loose !== undefined && loose !== 'broken' && 'oid' in loose && loose.oid === oid) await unlink(path);
    } finally {
      await rm(lock, { force: true });
    }
  }

  async #alone<T>(directory: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(directory) ?? Promise.resolve();
    const running = before.then(work, work);
    const settled = running.catch(() => undefined);
    this.#last.set(directory, settled);
    try {
      return await running;
    } finally {
      if (this.#last.get(directory) === settled) this.#last.delete(directory);
    }
  }

  async #move(directory: string, updates: readonly RefUpdate[]): Promise<Moving> {
    const locked: string[] = [];
    try {
      for (const { ref, new: next } of updates.toSorted((one, other) => (one.ref < other.ref ? -1 : 1))) {
        const path = join(directory, ref);
        const taken = await lock(directory, path, next === zeroOid ? '' : `${next}\n`);
        if (taken !== 'locked') return taken;
        locked.push(path);
      }
      const problem = await this.#compare(directory, updates);
      if (problem !== undefined) return problem;
      const deleted = updates.filter((update) => update.new === zeroOid);
      if (deleted.length > 0) await this.#delete(directory, deleted);
      for (const { ref, new: next } of updates) if (next !== zeroOid) await replace(join(directory, ref), locked);
      await syncRefs(
        directory,
        updates.map(({ ref }) => ref),
      );
      return 'moved';
    } finally {
      for (const path of locked) await rm(`${path}.lock`, { force: true });
      for (const { ref, new: next } of updates) if (next === zeroOid) await removeEmpty(directory, dirname(ref));
    }
  }

  async #compare(directory: string, updates: readonly RefUpdate[]): Promise<Moving | undefined> {
    const made = updates.filter((update) => update.new !== zeroOid).map(({ ref }) => ref);
    const gone = new Set(updates.filter((update) => update.new === zeroOid).map(({ ref }) => ref));
    for (const { ref, old } of updates) {
      const now = (await this.#files.read(directory, ref)) ?? zeroOid;
      if (now !== old) return 'stale';
    }
    for (const ref of made) if (await this.#isInTheWay(directory, ref, gone, made)) return 'in-the-way';
    return undefined;
  }

  /** Whether the name is the folder of another ref, or the other way round. */
  async #isInTheWay(
    directory: string,
    ref: string,
    gone: ReadonlySet<string>,
    made: readonly string[],
  ): Promise<boolean> {
    for (let folder = dirname(ref); folder.includes('/'); folder = dirname(folder))
      if (made.includes(folder) || (!gone.has(folder) && (await this.#files.read(directory, folder)) !== undefined))
        return true;
    if (made.some((other) => other.startsWith(`${ref}/`))) return true;
    const inside = Buffer.from(`${ref}/`, 'utf8').toString('latin1');
    const left = (raw: string): boolean => !gone.has(Buffer.from(raw, 'latin1').toString('utf8'));
    for (const raw of (await this.#files.packed(directory)).keys())
      if (raw.startsWith(inside) && left(raw)) return true;
    return (await looseNames(directory, inside)).some(left);
  }

  /** From `packed-refs` first: an old packed value must not appear when the loose file is removed. */
  async #delete(directory: string, deleted: readonly RefUpdate[]): Promise<void> {
    const names = new Set(deleted.map(({ ref }) => Buffer.from(ref, 'utf8').toString('latin1')));
    const packed = await this.#files.packed(directory);
    if ([...names].some((raw) => packed.has(raw)))
      await this.#lockPacked(directory, async (all) => new Map([...all].filter(([raw]) => !names.has(raw))));
    for (const { ref } of deleted) await unlink(join(directory, ref)).catch(ignoreMissing);
  }

  /** Replaces `packed-refs`. */
  async #lockPacked(
    directory: string,
    change: (packed: ReadonlyMap<string, Oid>) => Promise<ReadonlyMap<string, Oid>>,
  ): Promise<void> {
    const path = join(directory, 'packed-refs');
    const giveUpAt = performance.now() + packedWaitMs;
    for (;;) {
      try {
        await writeSynced(`${path}.lock`, '');
        break;
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw error;
        if (performance.now() > giveUpAt && !(await removedStale(`${path}.lock`))) throw busy();
        await pause(10);
      }
    }
    const draft = `${path}.new`;
    try {
      const refs = await change(await this.#files.packed(directory));
      const sorted = [...refs].sort(([one], [other]) => (one < other ? -1 : 1));
      // Not marked as peeled, so git looks for tags itself.
      const text = `# pack-refs with: sorted \n${sorted.map(([raw, oid]) => `${oid} ${raw}\n`).join('')}`;
      await rm(draft, { force: true });
      await writeSynced(draft, Buffer.from(text, 'latin1'));
      await rename(draft, path);
      await syncRefs(directory, []);
    } finally {
      await rm(draft, { force: true });
      await rm(`${path}.lock`, { force: true });
    }
  }
}

/** Creates the lock of a ref with the new value in it. */
async function lock(directory: string, path: string, text: string): Promise<'locked' | 'in-the-way'> {
  const giveUpAt = performance.now() + refWaitMs;
  for (;;) {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeSynced(`${path}.lock`, text);
      return 'locked';
    } catch (error) {
      const code = errnoOf(error);
      // A component of the path is a ref.
      if (code === 'ENOTDIR') return 'in-the-way';
      if (code === 'EEXIST' && (await isFileAbove(directory, path))) return 'in-the-way';
      // Another process removed the empty folder.
      if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
      if (code === 'ENOENT' && (await stat(join(directory, 'HEAD')).catch(ignoreMissing)) === undefined) throw error;
      if (performance.now() > giveUpAt && !(await removedStale(`${path}.lock`))) throw busy();
      await pause(10);
    }
  }
}

/** Removes a lock that a process which has ended has left. */
async function removedStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(ignoreMissing);
  if (found === undefined || found.mtimeMs > Date.now() - longestLockMs) return false;
  await rm(path, { force: true });
  return true;
}

/** Whether a parent of the path is a file. */
async function isFileAbove(directory: string, path: string): Promise<boolean> {
  for (let folder = dirname(path); folder !== directory; folder = dirname(folder))
    if ((await stat(folder).catch(ignoreMissing))?.isFile() === true) return true;
  return false;
}

async function replace(path: string, locked: string[]): Promise<void> {
  try {
    await rename(`${path}.lock`, path);
  } catch (error) {
    if (!['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(errnoOf(error))) throw error;
    // A folder that only has empty folders.
    await removeEmptyBelow(path);
    await rename(`${path}.lock`, path);
  }
  locked.splice(locked.indexOf(path), 1);
}

async function removeEmptyBelow(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await removeEmptyBelow(join(folder, entry.name));
  await rmdir(folder);
}

/** Removes empty folders, but not those that every repository has. */
async function removeEmpty(directory: string, folder: string): Promise<void> {
  for (let each = folder; each.split('/').length > 2; each = dirname(each)) {
    const removed = await rmdir(join(directory, each)).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}

/** @throws {ValidationFailed} */
export function assertUpdate({ ref, old, new: next }: RefUpdate): void {
  if (!ref.startsWith('refs/') || !isLegalRef(ref) || !isOid(old) || !isOid(next))
    throw new ValidationFailed('A ref cannot be moved so', { detail: `ref: ${JSON.stringify(ref.slice(0, 200))}` });
}

const busy = (): Unavailable =>
  new Unavailable('Another process is changing the same branch or tag', { detail: 'Try again' });
