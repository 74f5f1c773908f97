// How many refs a repository may have, branches, tags and others together: every list and every clone names them all.
import { Unprocessable } from '#core/kernel/errors';
import { deletionBudget } from './deletions.ts';
import { zeroOid, type GitBackend, type JudgeRefs, type RefUpdate } from './git-backend.ts';

export const mostRefs = 100_000;
/** Characters of all their names. */
const mostNames = 16 * 1024 ** 2;

/**
 * Names that were let through and may not be among the refs yet, by repository: a set for each push that lasts. Of this
 * process; of another's pushes only what has moved counts.
 */
export type ComingRefs = Map<string, Set<Set<string>>>;

export interface RefLimitParts {
  readonly git: Pick<GitBackend, 'refList'>;
  readonly comingRefs: ComingRefs;
}

const sentence = `a repository may have ${mostRefs} refs, with names of ${mostNames} characters together; delete some first`;

const creates = (update: RefUpdate): boolean => update.old === zeroOid && update.new !== zeroOid;
const deletes = (update: RefUpdate): boolean => update.new === zeroOid && update.old !== zeroOid;

export interface RefRoom {
  /**
   * Those of the updates that would make one ref too many, by the sentence that refuses them. The others count from
   * this moment, so that what is done side by side does not share the room that is left.
   */
  take(updates: readonly RefUpdate[]): Promise<ReadonlyMap<RefUpdate, string>>;
  /** To be called when they have moved, or will not any more. */
  ended(): void;
}

/** For one push, or one ref that is created over REST. */
export function roomForRefs({ git, comingRefs }: RefLimitParts, repositoryId: string): RefRoom {
  const own = new Set<string>();
  let over = false;

  /** Counts what is there, and what of the others is on its way. */
  const taken = async (others: readonly ReadonlySet<string>[]): Promise<{ count: number; names: number }> => {
    const { refs } = await git.refList(repositoryId, 'all');
    let count = refs.length;
    let names = refs.reduce((length, { name }) => length + name.length, 0);
    const known = new Set(others.length === 0 ? [] : refs.map(({ name }) => name));
    for (const name of others.flatMap((other) => [...other])) {
      if (known.has(name)) continue;
      known.add(name);
      count += 1;
      names += name.length;
    }
    return { count, names };
  };

  return {
    async take(updates) {
      const refused = new Map<RefUpdate, string>();
      const created = updates.filter(creates);
      if (created.length === 0) return refused;
      // Before the list is read: whoever asks from now on counts these, and whoever asked before is counted here, moved
      // or not.
      const coming = comingRefs.get(repositoryId) ?? new Set();
      const others = [...coming];
      for (const { ref } of created) own.add(ref);
      if (!over) comingRefs.set(repositoryId, coming.add(own));
      const present = await taken(others);
      // Whether they go is decided later: more than may be deleted at once make no room.
      let count = present.count - Math.min(updates.filter(deletes).length, deletionBudget.limit);
      let { names } = present;
      for (const update of created) {
        if (count >= mostRefs || names + update.ref.length > mostNames) {
          refused.set(update, sentence);
          own.delete(update.ref);
        } else {
          count += 1;
          names += update.ref.length;
        }
      }
      return refused;
    },
    ended() {
      over = true;
      const coming = comingRefs.get(repositoryId);
      coming?.delete(own);
      if (coming?.size === 0) comingRefs.delete(repositoryId);
    },
  };
}

/** The same verdicts, but that creations beyond the room are refused. Deletions that nothing refuses make room. */
export const withinRoom =
  (room: RefRoom, inner: JudgeRefs): JudgeRefs =>
  async (updates, objects) => {
    const verdicts = await inner(updates, objects);
    const refused = await room.take(updates.filter((_, index) => verdicts[index]?.refusal === undefined));
    return verdicts.map((verdict, index) => {
      const update = updates[index];
      const refusal = update && refused.get(update);
      return refusal === undefined ? verdict : { ref: verdict.ref, refusal };
    });
  };

/** One ref that is created over REST: counted until it has moved. @throws {Unprocessable} */
export async function inRoom<T>(
  parts: RefLimitParts,
  repositoryId: string,
  update: RefUpdate,
  move: () => Promise<T>,
): Promise<T> {
  const room = roomForRefs(parts, repositoryId);
  try {
    if ((await room.take([update])).size > 0)
      throw new Unprocessable('The repository has too many branches and tags', {
        detail: `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`,
      });
    return await move();
  } finally {
    room.ended();
  }
}
