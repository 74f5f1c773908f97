// The limit of refs per repository, counting branches, tags and others. Every list and every clone transfers all of
// them.
import { Unprocessable } from '#core/kernel/errors';
import { deletionBudget } from './deletions.ts';
import { zeroOid, type GitBackend, type JudgeRefs, type RefUpdate } from '../git/git-backend.ts';

export const mostRefs = 100_000;
/** The most characters of all names together. */
const mostNames = 16 * 1024 ** 2;

/**
 * The accepted new refs that may not exist yet, by repository, with a set for each running push. Only of this process:
 * pushes of other processes count once their refs exist.
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
   * Returns the updates that would exceed the limit, with the error message. The others count immediately, so that
   * concurrent pushes cannot use the same free space.
   */
  take(updates: readonly RefUpdate[]): Promise<ReadonlyMap<RefUpdate, string>>;
  /** Must be called when the refs have moved, or will not move any more. */
  ended(): void;
}

/** For one push, or one ref that is created over REST. */
export function roomForRefs({ git, comingRefs }: RefLimitParts, repositoryId: string): RefRoom {
  const own = new Set<string>();
  let over = false;

  /** Counts the existing refs, and the accepted new refs of other pushes. */
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
      // Registered before the list is read. Later callers count these refs, and the refs of earlier callers are counted
      // here, whether they exist yet or not.
      const coming = comingRefs.get(repositoryId) ?? new Set();
      const others = [...coming];
      for (const { ref } of created) own.add(ref);
      if (!over) comingRefs.set(repositoryId, coming.add(own));
      const present = await taken(others);
      // The deletions are decided later, so at most as many as the rate limit allows are assumed to free space.
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

/** The same verdicts, but creations that exceed the limit are rejected. Accepted deletions free space. */
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

/** Runs the creation of one ref over REST, and counts the ref meanwhile. @throws {Unprocessable} */
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
