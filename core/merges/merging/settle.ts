// Applies pushes whose events were not handled yet to the merge requests that are read, so that an answer shows every
// push, deletion and retarget that was answered before it.
import { HexforgeError } from '#core/kernel/errors';
import { within } from '#core/kernel/limits/within';
import type { PendingEvents, RefFilter } from '#core/kernel/storage/pending-events';
import { aggregateOf, zeroOid } from '#core/repositories/index';
import type { AppliedEvents } from './applied-events.ts';
import { applyPush, branches, branchOf, pushHandler, type Among, type SourceEvent } from './follow.ts';
import { followAndKeep, type HeadParts } from './heads.ts';
import { mergeAggregate } from '../model/events.ts';
import { isFromFork, type MergeRequest } from '../model/merge-request.ts';
import type { Settling } from '../model/parts.ts';
import type { BranchOf } from '../model/ports.ts';

type Parts = HeadParts & { readonly pendingEvents: PendingEvents; readonly applied: AppliedEvents };

/** The most events that are read (the newest ones), and the most requests beside its page that a list looks at. */
const [mostEvents, mostRequests] = [1000, 200];
/** How long the work for one answer may take, and how long the answer waits for it. */
const usualMs = 10_000;

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

/** Whether the event may move the head of the request. */
function movesSource(event: SourceEvent, request: MergeRequest): boolean {
  if (event.type !== 'push') return mergeAggregate(request) === event.aggregate;
  const branch = branchOf(event);
  return branch !== undefined && isFrom(branch)(request);
}

function concerns(event: SourceEvent, request: MergeRequest): boolean {
  const branch = event.type === 'push' ? branchOf(event) : undefined;
  return movesSource(event, request) || (branch !== undefined && isInto(branch)(request));
}

export function settling(parts: Parts, timeLimitMs = usualMs): Settling {
  const { store, pendingEvents, applied, log } = parts;
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

  /** Applies the events to these requests alone, in order, and each of them once. */
  const apply = async (
    requests: readonly MergeRequest[],
    events: readonly SourceEvent[],
    signal: AbortSignal,
  ): Promise<void> => {
    const current = new Map(requests.map((request) => [request.id, request]));
    for (const event of events) {
      const rest = () =>
        [...current.values()].filter((one) => concerns(event, one) && applied.of(one, event) !== 'applied');
      const concerned = rest();
      const among = {
        async *from(branch: BranchOf) {
          yield rest().filter(isFrom(branch));
        },
        async *into(branch: BranchOf) {
          yield rest().filter(isInto(branch));
        },
        changed: (request: MergeRequest) => void current.set(request.id, request),
      } satisfies Among;
      if (event.type === 'push') await applyPush(parts, event, signal, among);
      else
        for (const one of concerned) among.changed(await followAndKeep(parts, one, { actorId: event.actorId, signal }));
      for (const one of concerned) applied.record(one, event, 'applied');
    }
  };

  /** Leaves the work to the handler of the event if it fails. If there was no time, later reads do not try again. */
  const applyInTime = async (requests: readonly MergeRequest[], events: readonly SourceEvent[]): Promise<void> => {
    const signal = AbortSignal.timeout(timeLimitMs);
    try {
      await apply(requests, events, signal);
    } catch (error) {
      if (signal.aborted)
        for (const event of events)
          for (const one of requests.filter((request) => concerns(event, request)))
            if (applied.of(one, event) === undefined) applied.record(one, event, 'left');
      const details = { repository: requests[0]?.repositoryId, err: error };
      if (error instanceof HexforgeError || signal.aborted) log.debug(details, 'a push is applied later');
      else log.warn(details, 'a push could not be applied when it was asked for');
    }
  };

  /** Concurrent calls for the same requests share the work. */
  const shared = async (
    requests: readonly MergeRequest[],
    events: readonly SourceEvent[],
    signal: AbortSignal,
  ): Promise<void> => {
    const key = [...requests.map(({ id }) => id), events.at(-1)?.id].join(' ');
    const begun =
      running.get(key) ??
      applyInTime(requests, events).finally(() => {
        running.delete(key);
      });
    running.set(key, begun);
    await within(signal, () => begun, timeLimitMs);
  };

  /** @param isHindered whether an event keeps the events of this request from being applied now. */
  const settle = async (
    requests: readonly MergeRequest[],
    pending: readonly SourceEvent[],
    isHindered: (request: MergeRequest, event: SourceEvent) => boolean,
    signal: AbortSignal,
  ): Promise<void> => {
    const open = requests.filter((request) => {
      const own = pending.filter((event) => concerns(event, request) && applied.of(request, event) !== 'applied');
      return isOpen(request) && own.length > 0 && !own.some((event) => isHindered(request, event));
    });
    if (open.length === 0) return;
    const events = pending.filter((event) => open.some((request) => concerns(event, request)));
    await shared(open, events, signal);
  };

  const isLeft = (request: MergeRequest, event: SourceEvent): boolean => applied.of(request, event) === 'left';
  /** Commits are copied by reads of the request itself. */
  const isCopied = (request: MergeRequest, event: SourceEvent): boolean =>
    isLeft(request, event) || (isFromFork(request) && movesSource(event, request));

  const settlePage = async (
    repositoryId: string,
    rows: readonly MergeRequest[],
    pending: readonly SourceEvent[],
    signal: AbortSignal,
  ): Promise<void> => {
    // A push may change requests that the page does not show, and with them the page and the total.
    const shown = new Set(rows.map(({ id }) => id));
    const targets = branchesOf(pending, repositoryId);
    const found = targets.length === 0 ? [] : await store.openIntoAny(repositoryId, targets, mostRequests);
    const others = found.filter(({ id }) => !shown.has(id));
    // Their sources may have moved before their targets.
    const all = others.some(isFromFork) ? await pendingOf([repositoryId], [...rows, ...others]) : pending;
    await settle([...rows, ...others], all, isCopied, signal);
  };

  return {
    async request(request, signal) {
      if (!isOpen(request)) return false;
      await settle([request], await pendingOf([], [request]), isLeft, signal);
      return true;
    },
    async list(repositoryId, read, signal) {
      // An event that is handled between the two questions may have changed rows that were read before that.
      const before = await pendingOf([repositoryId], [], { under: branches });
      const page = await read();
      const [rows] = page;
      const pending = await pendingOf([repositoryId], rows, { under: branches });
      if (pending.length > 0) await settlePage(repositoryId, rows, pending, signal);
      const isStale = before.length + pending.length > 0 || rows.some((row) => isOpen(row) && isFromFork(row));
      return isStale ? read() : page;
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
