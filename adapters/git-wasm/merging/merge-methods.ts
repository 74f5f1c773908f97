// Merges in bare repositories: the result is made in a quarantine and accepted like a push.
import { type HexforgeError, TimedOut, Unavailable } from '#core/kernel/errors';
import { Lru } from '#core/kernel/limits/lru';
import type { GitBackend, MergeCheck, MergeTrial, MergeWrite, PushHooks } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import type { ReceivePack } from '../push/receive-pack.ts';
import { Quarantine } from '../storage/quarantine.ts';

export function mergeMethods({ inside, changing, threads, limits }: Foundation, receivePack: ReceivePack) {
  const known = new Lru<MergeCheck>(100_000);
  return {
    tryMerge: inside(async (location, { target, source, strategy }: MergeTrial, signal?: AbortSignal) => {
      // A squash has the same conflicts as a merge.
      const key = `${location.cacheKey}:${target}:${source}:${strategy === 'rebase' ? 'rebase' : 'merge'}`;
      const cached = known.get(key);
      if (cached !== undefined) return cached;
      const made = await threads.run('merge', location, { target, source, strategy }, { kind: 'compute', signal });
      const check: MergeCheck =
        made.kind === 'conflict' ? { clean: false, conflicts: made.conflicts } : { clean: true, conflicts: [] };
      known.set(key, check, 1 + check.conflicts.length);
      return check;
    }),
    merge: changing(async (location, change: MergeWrite, hooks: PushHooks) => {
      const { ref, target, source, strategy, message, author, committer } = change;
      const quarantine = await Quarantine.open(location);
      try {
        const { packPath } = quarantine;
        const request = { target, source, strategy, change: { message, author, committer, packPath } };
        const deadlineMs = limits.mergeSeconds * 1000;
        const made = await threads
          .run('merge', location, request, { kind: 'transfer', signal: hooks.signal, deadlineMs })
          .catch((error: unknown) => {
            throw error instanceof Unavailable && !hooks.signal.aborted ? timedOut(error) : error;
          });
        if (made.kind !== 'commit') return made;
        const refusal = await receivePack.own(location, { ref, old: target, new: made.oid }, quarantine, hooks);
        return { ...made, kind: 'made' as const, refusal };
      } finally {
        await quarantine.close();
      }
    }),
  } satisfies Partial<GitBackend>;
}

const timedOut = (cause: HexforgeError): TimedOut =>
  new TimedOut('The merge timed out; nothing was merged', {
    code: 'merge_timed_out',
    detail: 'Try again later, or merge the branches by hand and push the outcome',
    cause,
  });
