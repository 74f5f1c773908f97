// Tasks of clones and fetches: the commits that both sides have, and the pack of the objects that the reader lacks.
import { Unprocessable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git/git-backend';
import { ancestors } from '../history/ancestry.ts';
import { reachable, type ObjectFilter } from '../history/reachable.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { writePack } from '../packing/pack-writer.ts';
import { spooled, type Spooled } from '../storage/spool.ts';
import type { TaskContext } from '../objects/task-context.ts';

/** How much history a reader wants: gitprotocol-v2(5), "fetch". */
export interface Depth {
  /** Commits from the wanted ones on. */
  readonly deepen: number;
  /** Counted from where the reader's history ends now. */
  readonly isRelative: boolean;
}

export interface FetchRequest {
  readonly wants: readonly Oid[];
  readonly haves: readonly Oid[];
  /** Commits whose parents the reader lacks. */
  readonly shallow: readonly Oid[];
  readonly depth?: Depth | undefined;
  readonly filter?: ObjectFilter | undefined;
  /** Tags to be sent with the objects they point to, as pairs of the tag and its target. */
  readonly tags: readonly (readonly [tag: Oid, target: Oid])[];
}

/** Changes of the commits at which the history of the reader ends. */
export interface ShallowInfo {
  readonly shallow: readonly Oid[];
  readonly unshallow: readonly Oid[];
}

export const fetchTasks = {
  /** The commits of `haves` that are here, and whether every wanted commit descends from one of them. */
  negotiate: (
    { store }: TaskContext,
    { wants, haves }: { readonly wants: readonly Oid[]; readonly haves: readonly Oid[] },
  ): { readonly common: readonly Oid[]; readonly isReady: boolean } => {
    const common = haves.filter((oid) => store.has(oid));
    const known = new Set(common.flatMap((oid) => store.peel(oid) ?? []));
    const isReady =
      known.size > 0 &&
      wants.every((want) => {
        const tip = store.peel(want);
        return tip === undefined || reaches(store, tip, known);
      });
    return { common, isReady };
  },

  shallowInfo: ({ store }: TaskContext, request: FetchRequest): ShallowInfo => {
    const { shallow, unshallow } = bounds(store, request);
    return { shallow: [...shallow].filter((oid) => !request.shallow.includes(oid)), unshallow: [...unshallow] };
  },

  /** Writes the pack to a temporary file. */
  fetchPack: ({ store }: TaskContext, { folder, ...request }: FetchRequest & { readonly folder: string }): Spooled => {
    const { shallow } = bounds(store, request);
    const sent = reachable(store, {
      wants: request.wants,
      haves: request.haves.filter((oid) => store.has(oid)),
      ...(request.filter !== undefined && { filter: request.filter }),
      readerShallow: new Set(request.shallow),
      shallow,
    });
    for (const [tag, target] of request.tags) if (sent.has(target)) sent.add(tag);
    const { fd, bytes } = spooled(folder, (file) => writePack(file, store, sent));
    return { fd, bytes };
  },
};

function reaches(store: ObjectStore, tip: Oid, known: ReadonlySet<Oid>): boolean {
  const open = [tip];
  const seen = new Set<Oid>();
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    if (known.has(oid)) return true;
    if (seen.has(oid)) continue;
    seen.add(oid);
    store.check();
    open.push(...(store.commit(oid)?.parents ?? []));
  }
  return false;
}

/** The commits without parents that the reader has after the fetch, and those that get their parents. */
function bounds(
  store: ObjectStore,
  { wants, shallow: before, depth }: FetchRequest,
): { readonly shallow: ReadonlySet<Oid>; readonly unshallow: ReadonlySet<Oid> } {
  const known = new Set(before);
  if (depth === undefined) return { shallow: known, unshallow: new Set() };
  const tips = wants.flatMap((oid) => store.peel(oid) ?? []);
  const from = depth.isRelative ? before.filter((oid) => ancestors(store, tips).has(oid)) : tips;
  const most = depth.deepen + (depth.isRelative ? 1 : 0);
  if (most < 1) throw new Unprocessable('the depth must be positive');
  const depths = new Map<Oid, number>();
  let level: readonly Oid[] = from;
  for (let at = 1; level.length > 0 && at <= most; at += 1) {
    const next: Oid[] = [];
    for (const oid of level) {
      if (depths.has(oid)) continue;
      store.check();
      depths.set(oid, at);
      next.push(...(store.commit(oid)?.parents ?? []));
    }
    level = next;
  }
  const shallow = new Set<Oid>();
  for (const [oid, at] of depths) if (at === most) shallow.add(oid);
  const unshallow = new Set(before.filter((oid) => depths.has(oid) && !shallow.has(oid)));
  // History of the reader that is farther away keeps its end.
  for (const oid of before) if (!depths.has(oid)) shallow.add(oid);
  return { shallow, unshallow };
}

type FetchTasks = typeof fetchTasks;

declare module '../threads/registry.ts' {
  interface Tasks extends FetchTasks {}
}
