// Applies pushes whose events were not handled yet to the merge requests that are read, so that an answer shows every
// push, deletion and retarget that was answered before it.
import { HexforgeError } from '#core/kernel/errors';
import { within } from '#core/kernel/limits/within';
import type { PendingEvents, RefFilter } from '#core/kernel/storage/pending-events';
import { aggregateOf, zeroOid } from '#core/repositories/index';
import { applyPush, branches, branchOf, pushHandler, type Among, type SourceEvent } from './follow.ts';
import { followAndKeep, type HeadParts } from './heads.ts';
import { mergeAggregate } from '../model/events.ts';
import type { MergeRequest } from '../model/merge-request.ts';
import type { Settling } from '../model/parts.ts';
import type { BranchOf } from '../model/ports.ts';

type Parts = HeadParts & { readonly pendingEvents: PendingEvents };

/** The most events that are read (the newest ones), and the most requests beside its page that a list looks at. */
const [mostEvents, mostRequests] = [1000, 200];
/** How long the work for one answer may take, and how long the answer waits for it. */
const timeLimitMs = 10_000;

const isOpen = ({ state }: MergeRequest): boolean => state === 'open';
const isFrom = (branch: BranchOf) => (request: MergeRequest) =>
  request.sourceRepositoryId === branch.repositoryId && request.sourceBranch === branch.branch;
const isInto = (branch: BranchOf) => (request: MergeRequest) =>
  request.repositoryId === branch.repositoryId && request.targetBranch === branch.branch;

/** The repositories of open requests, and of their sources. */
const sourcesOf = (requests: readonly MergeRequest[]): readonly string[] =>
  requests.flatMap(({ state, repositoryId, sourceRepositoryId }) =>
    state === 'open' ? [repositoryId, ...(sourceRepositoryId === undefined ? [] : [sourceRepositoryId])] : [],
  );

export function settling(parts: Parts): Settling {
  const { store, pendingEvents, log } = parts;
  /** Work that is under way, by the requests and the last event. */
  const running = new Map<string, Promise<void>>();

  const pendingOf = (
    repositoryIds: readonly string[],
    requests: readonly MergeRequest[],
    others: Pick<RefFilter, 'under'> = {},
  ) => {
    const repositories = [...repositoryIds, ...sourcesOf(requests)].map(aggregateOf);
    const aggregates = [...new Set(repositories), ...requests.filter(isOpen).map(mergeAggregate)];
    const refs = requests.filter(isOpen).flatMap(({ sourceBranch, targetBranch }) => [sourceBranch, targetBranch]);
    const wanted = { refs: [...new Set(refs)].map((branch) => `${branches}${branch}`), ...others };
    return pendingEvents.of(pushHandler, aggregates, mostEvents, wanted);
  };

  /** Applies the events to these requests alone, in order. */
  const apply = async (requests: readonly MergeRequest[], events: readonly SourceEvent[]): Promise<void> => {
    const signal = AbortSignal.timeout(timeLimitMs);
    const current = new Map(requests.map((request) => [request.id, request]));
    const among = {
      async *from(branch: BranchOf) {
        yield [...current.values()].filter(isFrom(branch));
      },
      async *into(branch: BranchOf) {
        yield [...current.values()].filter(isInto(branch));
      },
      changed: (request: MergeRequest) => void current.set(request.id, request),
    } satisfies Among;
    for (const event of events) {
      if (event.type === 'push') await applyPush(parts, event, signal, among);
      else
        for (const one of current.values())
          if (mergeAggregate(one) === event.aggregate)
            among.changed(await followAndKeep(parts, one, { actorId: event.actorId, signal }));
    }
  };

  /** Concurrent calls for the same requests share the work. A failure leaves the work to the handler of the event. */
  const shared = async (
    requests: readonly MergeRequest[],
    events: readonly SourceEvent[],
    signal: AbortSignal,
  ): Promise<void> => {
    const key = [...requests.map(({ id }) => id), events.at(-1)?.id].join(' ');
    let work = running.get(key);
    if (work === undefined) {
      work = apply(requests, events)
        .catch((error: unknown) => {
          const details = { repository: requests[0]?.repositoryId, err: error };
          if (error instanceof HexforgeError) log.debug(details, 'a push is applied later');
          else log.warn(details, 'a push could not be applied when it was asked for');
        })
        .finally(() => running.delete(key));
      running.set(key, work);
    }
    const begun = work;
    await within(signal, () => begun, timeLimitMs);
  };

  const settle = async (
    requests: readonly MergeRequest[],
    pending: readonly SourceEvent[],
    signal: AbortSignal,
  ): Promise<boolean> => {
    const open = requests.filter(isOpen);
    const concerns = (event: SourceEvent): boolean => {
      if (event.type !== 'push') return true;
      const branch = branchOf(event);
      return branch !== undefined && open.some((request) => isFrom(branch)(request) || isInto(branch)(request));
    };
    const events = pending.filter(concerns);
    if (events.length === 0) return false;
    await shared(open, events, signal);
    return true;
  };

  return {
    async request(request, signal) {
      if (!isOpen(request)) return false;
      return settle([request], await pendingOf([], [request]), signal);
    },
    async list(repositoryId, rows, signal) {
      const pending = await pendingOf([repositoryId], rows, { under: branches });
      if (pending.length === 0) return false;
      // A push may change requests that the page does not show, and with them the page and the total.
      const found = new Map(rows.map((row) => [row.id, row]));
      const targets = branchesOf(pending, repositoryId);
      const others = targets.length === 0 ? [] : await store.openIntoAny(repositoryId, targets, mostRequests);
      for (const request of others) found.set(request.id, request);
      return settle([...found.values()], pending, signal);
    },
  };
}

/** The names of the branches of a repository that these events moved or deleted. */
const branchesOf = (events: readonly SourceEvent[], repositoryId: string): readonly string[] => [
  ...new Set(
    events
      .flatMap((event) => (event.type === 'push' && event.payload.old !== zeroOid ? (branchOf(event) ?? []) : []))
      .flatMap((one) => (one.repositoryId === repositoryId ? one.branch : [])),
  ),
];
