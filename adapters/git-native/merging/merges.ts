// Merges in bare repositories: the result is made in a quarantine and pushed from there as a client would push it.
import { TimedOut } from '#core/kernel/errors';
import type { MergeCheck, MergeOutcome, MergeTrial, MergeWrite, Oid } from '#core/repositories/git/git-backend';
import type { PushHooks } from '#core/repositories/git/git-history';
import type { CommitLog } from '../history/log.ts';
import { SingleFlightCache } from '../process/single-flight-cache.ts';
import type { Objects } from '../objects/objects.ts';
import { byteStream } from '../process/byte-stream.ts';
import type { Foundation } from '../foundation.ts';
import { TooSlow } from '../process/too-costly.ts';
import { commitContent } from '#adapters/git-common/objects/commit-content';
import { ownPush } from '../push/own-push.ts';
import type { ReceivePack } from '../push/receive-pack.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { MergeTree, type MergeTreeOptions } from './merge-tree.ts';
import { openQuarantine, type Quarantine } from './quarantine.ts';
import { rebase, RebaseTooLong } from './rebase.ts';
import { WithParts } from '../with-parts.ts';

type MergesParts = Foundation & {
  readonly objects: Objects;
  readonly commitLog: CommitLog;
  readonly receivePack: ReceivePack;
};

/** The result of a merge before it is pushed. */
type Made =
  | { readonly kind: 'commit'; readonly oid: Oid }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'conflict'; readonly conflicts: readonly string[] };

interface Making extends MergeTreeOptions {
  /** Undefined for a trial. */
  readonly change?: MergeWrite;
}

export class Merges extends WithParts<MergesParts> {
  /** A separate limiter, because a merge may run longer than other computations, which must not wait for it. */
  readonly #limiter = this.parts.limiter('merges', this.parts.limits.heavy);
  /** Weighed by characters. `RebaseTooLong` is cached too, because the same rebase stays too long. */
  readonly #known = new SingleFlightCache<MergeCheck | RebaseTooLong>(4_000_000, (known) =>
    (known instanceof RebaseTooLong ? [] : known.conflicts).reduce((weight, path) => weight + 50 + path.length, 200),
  );

  async try(location: RepositoryLocation, trial: MergeTrial, signal?: AbortSignal): Promise<MergeCheck> {
    const { target, source, strategy } = trial;
    // A squash has the same conflicts as a merge.
    const how = strategy === 'rebase' ? 'rebase' : 'merge';
    const known = await this.#known.get(
      `${location.cacheKey}:${target}:${source}:${how}`,
      signal,
      (inner) => this.#tried(location, trial, inner),
      this.#limiter,
    );
    if (known instanceof RebaseTooLong) throw new RebaseTooLong();
    return known;
  }

  async merge(location: RepositoryLocation, change: MergeWrite, hooks: PushHooks): Promise<MergeOutcome> {
    const { limits, receivePack } = this.parts;
    const { signal } = hooks;
    const deadlineMs = limits.mergeSeconds * 1000;
    return await this.#inQuarantine(location, async (quarantine) => {
      const made = await this.#limiter
        .run(() => this.#make(location, change, { quarantine, deadlineMs, signal, change }), signal)
        .catch((error: unknown) => {
          throw error instanceof TooSlow ? timedOut(error) : error;
        });
      if (made.kind !== 'commit') return made;
      const { ref, target, source } = change;
      const pack = this.#pack(location, quarantine, { tip: made.oid, known: [target, source], deadlineMs, signal });
      const refusal = await ownPush(receivePack, location, { ref, old: target, new: made.oid }, pack, hooks);
      return { kind: 'made', oid: made.oid, refusal };
    });
  }

  async #tried(
    location: RepositoryLocation,
    trial: MergeTrial,
    signal: AbortSignal,
  ): Promise<MergeCheck | RebaseTooLong> {
    const { deadlineMs } = this.parts;
    try {
      const made = await this.#inQuarantine(location, (quarantine) =>
        this.#make(location, trial, { quarantine, deadlineMs, signal }),
      );
      return made.kind === 'conflict' ? { clean: false, conflicts: made.conflicts } : { clean: true, conflicts: [] };
    } catch (error) {
      if (error instanceof RebaseTooLong) return error;
      throw error;
    }
  }

  async #inQuarantine<T>(location: RepositoryLocation, work: (quarantine: Quarantine) => Promise<T>): Promise<T> {
    const { liveProcesses, removals } = this.parts;
    const quarantine = await openQuarantine(liveProcesses.folder, location, removals);
    try {
      return await work(quarantine);
    } finally {
      await quarantine.close();
    }
  }

  async #make(location: RepositoryLocation, trial: MergeTrial, making: Making): Promise<Made> {
    let session: MergeTree | undefined;
    const merge: MergeTree['merge'] = async (ours, theirs) => {
      session ??= await MergeTree.start(this.parts.processes, location, making);
      return await session.merge(ours, theirs);
    };
    try {
      return await (trial.strategy === 'rebase'
        ? this.#rebased(location, trial, making, merge)
        : this.#merged(location, trial, making, merge));
    } finally {
      await session?.close();
    }
  }

  async #rebased(
    location: RepositoryLocation,
    trial: MergeTrial,
    { change, ...making }: Making,
    merge: MergeTree['merge'],
  ): Promise<Made> {
    const rebased = await rebase(this.parts, trial, { location, ...making, merge, committer: change?.committer });
    if ('conflicts' in rebased) return { kind: 'conflict', ...rebased };
    return rebased.tip === trial.target ? { kind: 'nothing' } : { kind: 'commit', oid: rebased.tip };
  }

  async #merged(
    location: RepositoryLocation,
    { target, source, strategy }: MergeTrial,
    { change, quarantine, signal }: Making,
    merge: MergeTree['merge'],
  ): Promise<Made> {
    const { objects, commitLog } = this.parts;
    const merged = await merge(target, source);
    if (merged?.clean !== true) return { kind: 'conflict', conflicts: merged?.conflicts ?? [] };
    const present = await objects.commit(location, target);
    // A merge that leaves the tree unchanged is still made, unless the target already contains the source commits.
    const nothing =
      merged.tree === present?.tree &&
      (strategy === 'squash' || (await commitLog.mergeBase(location, target, source, signal)) === source);
    if (nothing) return { kind: 'nothing' };
    if (change === undefined) return { kind: 'commit', oid: target };
    const parents = strategy === 'squash' ? [target] : [target, source];
    return { kind: 'commit', oid: await quarantine.commit(commitContent({ ...change, tree: merged.tree, parents })) };
  }

  /**
   * Yields a pack of the objects that are reachable from `tip` but not from `known`. Other objects of the quarantine
   * are left out.
   */
  async *#pack(
    location: RepositoryLocation,
    quarantine: Quarantine,
    {
      tip,
      known,
      ...limits
    }: { readonly tip: Oid; readonly known: readonly Oid[]; readonly deadlineMs: number; readonly signal: AbortSignal },
  ): AsyncGenerator<Uint8Array> {
    const args = ['pack-objects', '--revs', '--local', '--stdout', '-q', '--window=0'];
    const process = await this.parts.processes.startIn(location, args, {
      environment: quarantine.environment,
      input: `${tip}\n${known.map((oid) => `^${oid}\n`).join('')}`,
      ...limits,
    });
    yield* byteStream(process);
    if ((await process.ended).code !== 0) throw process.failure();
  }
}

const timedOut = (cause: TooSlow): TimedOut =>
  new TimedOut('The merge timed out; nothing was merged', {
    code: 'merge_timed_out',
    detail: 'Try again later, or merge the branches by hand and push the outcome',
    cause,
  });
