// Removing what no ref leads to: git packs the rest anew and puts what is to go aside, which is deleted once every ref
// is seen to be whole without it.
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Internal, Unavailable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git-backend';
import { ignoreAbsence } from '../storage/durable-files.ts';
import type { Lane } from '../process/limiter.ts';
import type { Maintenance } from './maintenance.ts';
import type { Place } from '../objects/objects.ts';
import type { GitProcesses, RunOptions } from '../process/git-process.ts';

const deadlineMs = 30 * 60_000;
/** As for maintenance: what is derived is synced too, for what it was made from goes. */
const config = { 'core.fsync': 'all' };

export interface PruneParts {
  readonly processes: GitProcesses;
  readonly heavy: Lane;
  readonly maintenance: Maintenance;
  /** Lets go of what was read there and of the packs held open for it. */
  readonly forget: (place: Place) => Promise<void>;
}

export class Pruner {
  readonly #parts: PruneParts;

  constructor(parts: PruneParts) {
    this.#parts = parts;
  }

  /** Not while the repository is maintained: both replace packs. */
  prune(place: Place, before: Date, signal?: AbortSignal): Promise<{ readonly remaining: boolean }> {
    return this.#parts.maintenance.alone(place, () => this.#run(place, Math.floor(before.getTime() / 1000), signal));
  }

  async #run(place: Place, before: number, signal: AbortSignal | undefined): Promise<{ readonly remaining: boolean }> {
    const aside = asideOf(place);
    await putBack(place);
    await mkdir(aside, { mode: 0o700 });
    try {
      const tips = await this.#tips(place, signal);
      // git-repack(1): what is reachable in one pack, younger unreachable objects in another with the time of each.
      // Packs with a .keep stay as they are.
      await this.#git(
        place,
        ['repack', '-a', '-d', '-q', '--cruft', `--cruft-expiration=${before}`, `--expire-to=${join(aside, 'pack')}`],
        signal,
      );
      // Loose ones are set aside as a copy.
      await this.#git(place, ['prune', `--expire=${before}`], signal);
      await this.#git(
        place,
        ['commit-graph', 'write', '--reachable', '--split=replace', '--changed-paths', '--no-progress'],
        signal,
      );
      await this.#check(place, tips, signal);
    } catch (error) {
      await putBack(place);
      throw error;
    } finally {
      await this.#parts.forget(place);
    }
    await rm(aside, { recursive: true, force: true });
    return { remaining: (await packFiles(place)).some((name) => name.endsWith('.mtimes')) };
  }

  /**
   * A ref may have been made meanwhile of a commit that was found unreachable: it must not be left without its objects.
   * @throws {Unavailable}
   */
  async #check(place: Place, before: ReadonlySet<Oid>, signal: AbortSignal | undefined): Promise<void> {
    const input = [...(await this.#tips(place, signal)), ...[...before].map((oid) => `^${oid}`)]
      .map((line) => `${line}\n`)
      .join('');
    const { code, complaint } = await this.#command(place, ['rev-list', '--objects', '--quiet', '--stdin'], signal, {
      input,
    });
    if (code !== 0)
      throw new Unavailable('A ref was made of what was being pruned', {
        detail: `Nothing was removed from repository "${place.id}": ${complaint}`,
      });
  }

  /** What every ref leads to, hidden ones included. */
  async #tips(place: Place, signal: AbortSignal | undefined): Promise<ReadonlySet<Oid>> {
    const listed = await this.#git(place, ['for-each-ref', '--format=%(objectname)'], signal);
    return new Set(listed.split('\n').filter((line) => line !== ''));
  }

  /** @throws {Internal} where git fails. */
  async #git(place: Place, args: readonly string[], signal: AbortSignal | undefined): Promise<string> {
    const { code, stdout, complaint } = await this.#command(place, args, signal);
    if (code !== 0)
      throw new Internal(`git ${args[0] ?? ''} failed in repository "${place.id}"`, { detail: complaint });
    return stdout.toString('latin1');
  }

  #command(
    place: Place,
    args: readonly string[],
    signal: AbortSignal | undefined,
    more: Pick<RunOptions, 'input'> = {},
  ): ReturnType<GitProcesses['run']> {
    const { heavy, processes } = this.#parts;
    return heavy.run(
      () =>
        processes.run([`--git-dir=${place.directory}`, ...args], {
          directory: place.directory,
          config,
          deadlineMs,
          maxOutput: 256 * 1024 ** 2,
          ...(signal !== undefined && { signal }),
          ...more,
        }),
      signal,
    );
  }
}

/** On the file system of the packs, and where git does not look for any. */
const asideOf = (place: Place): string => join(place.directory, 'pruned');
const packFiles = async (place: Place): Promise<readonly string[]> =>
  (await readdir(join(place.directory, 'objects', 'pack')).catch(ignoreAbsence)) ?? [];

/**
 * What a run that failed, or was killed, had set aside. A pack is whole when it has its index, which git writes last
 * and which is moved last.
 */
async function putBack(place: Place): Promise<void> {
  const aside = asideOf(place);
  const names = (await readdir(aside).catch(ignoreAbsence)) ?? [];
  for (const index of names.filter((name) => name.endsWith('.idx'))) {
    const stem = index.slice(0, -'idx'.length);
    for (const name of [...names.filter((other) => other.startsWith(stem) && other !== index), index]) {
      await rename(join(aside, name), join(place.directory, 'objects', 'pack', name)).catch(ignoreAbsence);
    }
  }
  await rm(aside, { recursive: true, force: true });
}
