// Tasks that copy, combine and remove objects: forks, kept commits, pruning and tidying.
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Unavailable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git/git-backend';
import { reachable } from '../history/reachable.ts';
import { looseOids, removeLoose, syncFolderNow } from '../objects/loose-objects.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { PackFile } from '../packs/pack-file.ts';
import { packIndexOf } from '../packs/pack-index.ts';
import { writePack } from '../packing/pack-writer.ts';
import type { TaskContext } from '../objects/task-context.ts';

/** Packs of this size and more are not combined with others. */
const largestCombined = 16 * 1024 ** 2;

export interface Place {
  readonly packPath: string;
  readonly indexPath: string;
}

/** A pack in a quarantine, with its index, both synced. */
export interface Packed {
  readonly name: string;
  readonly objects: number;
}

function packInto(store: ObjectStore, { packPath, indexPath }: Place, oids: Iterable<Oid>): Packed {
  const fd = openSync(packPath, 'wx', 0o600);
  try {
    const { checksum, entries } = writePack(fd, store, oids);
    fsyncSync(fd);
    writeFileSync(indexPath, packIndexOf(entries, checksum), { mode: 0o444, flush: true });
    return { name: `pack-${checksum.toString('hex')}`, objects: entries.length };
  } finally {
    closeSync(fd);
  }
}

/** The files that a pruning removes. */
export interface PrunePlan {
  readonly packs: readonly string[];
  readonly loose: readonly Oid[];
  /** Objects that are kept, from packs that are removed. */
  readonly kept: Packed | undefined;
  readonly remaining: boolean;
}

export const upkeepTasks = {
  /** Packs everything that the wanted objects reach and the others do not. */
  packReachable: (
    { store }: TaskContext,
    { wants, haves, ...place }: Place & { readonly wants: readonly Oid[]; readonly haves: readonly Oid[] },
  ) => packInto(store, place, reachable(store, { wants, haves: haves.filter((oid) => store.has(oid)) })),

  ownBytes: (
    { store }: TaskContext,
    { commits, others }: { readonly commits: readonly Oid[]; readonly others: readonly Oid[] },
  ): readonly number[] => {
    const counted = reachable(store, { wants: others, haves: [], isTolerant: true });
    return commits.map((commit) => {
      let bytes = 0;
      for (const oid of reachable(store, { wants: [commit], haves: [], isTolerant: true })) {
        if (counted.has(oid)) continue;
        counted.add(oid);
        bytes += store.diskBytes(oid);
      }
      return bytes;
    });
  },

  prunePlan: (
    { store, directory }: TaskContext,
    { tips, before, ...place }: Place & { readonly tips: readonly Oid[]; readonly before: number },
  ): PrunePlan => {
    const folder = join(directory, 'objects');
    const live = reachable(store, { wants: tips, haves: [], isTolerant: true });
    const young = new Set<Oid>();
    const loose = [...looseOids(folder)];
    for (const pack of store.packs)
      for (const [oid, writtenAt] of timesOf(folder, pack)) if (!live.has(oid) && writtenAt >= before) young.add(oid);
    for (const [oid, writtenAt] of loose) if (!live.has(oid) && writtenAt >= before) young.add(oid);
    const kept = reachable(store, { wants: [...young], haves: [], isTolerant: true });
    for (const oid of live) kept.add(oid);
    const doomed = store.packs.filter(
      (pack) =>
        !existsSync(join(folder, 'pack', `${pack.name}.keep`)) && pack.index.oids().some((oid) => !kept.has(oid)),
    );
    const staying = new Set(
      store.packs.filter((pack) => !doomed.includes(pack)).flatMap((pack) => [...pack.index.oids()]),
    );
    const moved = new Set(
      doomed.flatMap((pack) => [...pack.index.oids()]).filter((oid) => kept.has(oid) && !staying.has(oid)),
    );
    const packed = moved.size === 0 ? undefined : packInto(store, place, moved);
    if (packed !== undefined) {
      const newest = new Date(Math.max(...doomed.map(({ writtenAt }) => writtenAt)));
      utimesSync(place.packPath, newest, newest);
    }
    return {
      packs: doomed.map(({ name }) => name).filter((name) => name !== packed?.name),
      loose: loose.filter(([oid]) => !kept.has(oid)).map(([oid]) => oid),
      kept: packed,
      remaining: young.size > 0,
    };
  },

  /** @throws {Unavailable} if one of the tips, which are new, would be removed. Nothing is removed then. */
  removeObjects: (
    { store, directory }: TaskContext,
    {
      packs,
      loose,
      tips,
    }: { readonly packs: readonly string[]; readonly loose: readonly Oid[]; readonly tips: readonly Oid[] },
  ): void => {
    const folder = join(directory, 'objects');
    const [gone, goneLoose] = [new Set(packs), new Set(loose)];
    const staying = store.packs.filter(({ name }) => !gone.has(name));
    for (const tip of tips) {
      const bytes = Buffer.from(tip, 'hex');
      const isPacked = staying.some(({ index }) => index.position(bytes) >= 0);
      const isLoose = !goneLoose.has(tip) && existsSync(join(folder, tip.slice(0, 2), tip.slice(2)));
      if (!isPacked && !isLoose && store.has(tip))
        throw new Unavailable('A ref was made of what was being pruned', {
          detail: 'Nothing was removed; try again later',
        });
    }
    // Files that git derives from the packs, and would take for complete.
    for (const name of ['info/commit-graph', 'info/commit-graphs', 'pack/multi-pack-index'])
      if (packs.length > 0 || loose.length > 0) rmSync(join(folder, name), { recursive: true, force: true });
    removePacks(folder, packs);
    for (const oid of loose) removeLoose(folder, oid);
  },

  /** Packs the objects of all small packs. @returns the names of those packs; none if there are few. */
  combine: (
    { store, directory }: TaskContext,
    { least, ...place }: Place & { readonly least: number },
  ): { readonly packs: readonly string[]; readonly made: Packed } | undefined => {
    const folder = join(directory, 'objects', 'pack');
    const small = store.packs.filter(
      ({ name }) =>
        ['keep', 'promisor', 'mtimes'].every((ending) => !existsSync(join(folder, `${name}.${ending}`))) &&
        (statSync(join(folder, `${name}.pack`), { throwIfNoEntry: false })?.size ?? largestCombined) < largestCombined,
    );
    if (small.length < least) return undefined;
    const oids = new Set(small.flatMap((pack) => [...pack.index.oids()]));
    const made = packInto(store, place, oids);
    const newest = new Date(Math.max(...small.map(({ writtenAt }) => writtenAt)));
    utimesSync(place.packPath, newest, newest);
    return { packs: small.map(({ name }) => name).filter((name) => name !== made.name), made };
  },

  removePacks: ({ directory }: TaskContext, packs: readonly string[]): void => {
    const folder = join(directory, 'objects');
    rmSync(join(folder, 'pack', 'multi-pack-index'), { force: true });
    removePacks(folder, packs);
  },
};

/** The index first: a pack without one is ignored. */
function removePacks(folder: string, packs: readonly string[]): void {
  const names = new Set(packs);
  const endings = ['.idx', '.rev', '.bitmap', '.mtimes', '.pack'];
  const files = readdirSync(join(folder, 'pack'));
  for (const ending of endings)
    for (const file of files)
      if (file.endsWith(ending) && names.has(file.slice(0, -ending.length)))
        rmSync(join(folder, 'pack', file), { force: true });
  syncFolderNow(join(folder, 'pack'));
}

/** When each object of a pack was written, in milliseconds: gitformat-pack(5), "pack-*.mtimes files". */
function* timesOf(folder: string, { name, index, writtenAt }: PackFile): Generator<readonly [Oid, number]> {
  const path = join(folder, 'pack', `${name}.mtimes`);
  const times = existsSync(path) ? readFileSync(path) : undefined;
  for (let position = 0; position < index.count; position += 1) {
    const at = 12 + 4 * position;
    const seconds = times !== undefined && at + 4 <= times.length ? times.readUInt32BE(at) : undefined;
    yield [index.oidAt(position), seconds === undefined ? writtenAt : seconds * 1000];
  }
}

type UpkeepTasks = typeof upkeepTasks;

declare module '../threads/registry.ts' {
  interface Tasks extends UpkeepTasks {}
}
