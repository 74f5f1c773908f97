// Handles a push by `git receive-pack` in steps: parse the ref commands, announce them, receive the pack into
// quarantine, judge each ref, make the moved refs durable, record them, report.
import { HexforgeError, Internal, Unavailable, ValidationFailed } from '#core/kernel/errors';
import { MemoryBudget, type MemoryReservation } from '#core/kernel/limits/memory-budget';
import type { PushAnswer, ReceiveRequest, RefUpdate } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import type { GitProcess } from '../process/git-process.ts';
import { transferTimes } from '../process/limits.ts';
import { Pace } from '../process/pace.ts';
import { spentAccordingTo } from '../process/exhausted-resources.ts';
import { untilAborted } from '#adapters/git-common/waiting/until-aborted';
import type { Refs } from '../refs/refs.ts';
import { syncRefs } from '#adapters/git-common/files/durable-files';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { feed, protocolVariable, receiveConfig, slowRequest } from '../transport/smart-http.ts';
import { Channel } from '#adapters/git-common/push/channel';
import { readPushCommands } from '#adapters/git-common/push/commands';
import { verdictsVariable, type Hooks, type PushHooks } from './hooks.ts';
import { Judging, stopWhenLost, undecided } from './judging.ts';
import type { Push } from './push.ts';
import { fatal, isMultiplexed, PushReport, reportOf } from './report.ts';
import { WithParts } from '../with-parts.ts';

export type ReceivePackParts = Foundation & { readonly refs: Refs; readonly hooks: Hooks };

/**
 * The memory budget for the commands of running pushes, in bytes. One caller may have two pushes of the longest kind.
 */
const heldCommands = { perCaller: 40 * 1024 ** 2, inAll: 64 * 1024 ** 2 } as const;
/** Bytes of progress buffered for a client that reads slowly. */
const progressBytes = 256 * 1024;
/** Milliseconds that git has to notice a disconnected client by itself, which cleans up best. */
const noticeMs = 500;

export class ReceivePack extends WithParts<ReceivePackParts> {
  readonly #pushes = new Map<string, Set<Push>>();
  readonly #running = new Set<Promise<void>>();
  readonly #judging = new Judging(this.parts);
  readonly #held = new MemoryBudget(heldCommands);

  async receive(location: RepositoryLocation, request: ReceiveRequest): Promise<PushAnswer> {
    const hold = this.#held.hold(this.parts.caller?.() ?? '');
    try {
      return await this.#receive(location, request, hold);
    } catch (error) {
      hold.release();
      throw error;
    }
  }

  async #receive(location: RepositoryLocation, request: ReceiveRequest, hold: MemoryReservation): Promise<PushAnswer> {
    const { limits, hooks, liveProcesses, changes, transfers, processes } = this.parts;
    const body = untilAborted(request.body[Symbol.asyncIterator](), request.signal);
    const head = await readPushCommands(body, limits.commandBytes, hold);
    // git clients send an empty request first to find out whether they may push.
    if (head.updates.length === 0) {
      hold.release();
      return nothing();
    }
    if (!head.capabilities.has('report-status') && !head.capabilities.has('report-status-v2')) {
      throw new ValidationFailed('The git client does not ask what became of its push', {
        detail: 'body: the capability "report-status" is needed; update the client',
      });
    }
    const mark = await changes.begin(location, 'objects');
    let pushHooks: PushHooks | undefined;
    let release = (): void => undefined;
    try {
      pushHooks = await hooks.open(liveProcesses.folder);
      await request.announced(head.updates);
      // Read before a slot is taken, so that a client that does not send its pack does not keep others from pushing.
      const first = head.rest.length > 0 ? undefined : await body.next();
      release = await transfers.acquire(request.signal);
      const process = await processes.start(['receive-pack', '--stateless-rpc', location.directory], {
        directory: location.directory,
        config: { ...receiveConfig(limits.pushBytes), 'core.hooksPath': pushHooks.folder },
        environment: {
          ...protocolVariable('git-receive-pack', request.protocol),
          [verdictsVariable]: pushHooks.verdicts,
        },
        extraPipes: 2,
        ...transferTimes(limits),
      });
      const channel: Channel = new Channel(progressBytes, async () => {
        await this.#clientLeft(push);
        await finished;
      });
      const push: Push = {
        location,
        head,
        request,
        process,
        hooks: pushHooks,
        marks: [mark],
        channel,
        unmoved: new Set(),
      };
      const begun = first === undefined || first.done === true ? head.raw : [...head.raw, first.value];
      const finished = this.#run(push, { body, begun }).finally(() => {
        release();
        hold.release();
      });
      this.#running.add(finished);
      void finished.then(() => this.#running.delete(finished));
      return channel;
    } catch (error) {
      release();
      await pushHooks?.close();
      await changes.end(mark, true);
      throw error;
    }
  }

  /** Stops the pushes whose refs may not move yet, and waits for all. */
  async settled(): Promise<void> {
    await Promise.all(
      [...this.#pushes.values()]
        .flatMap((pushes) => [...pushes])
        .filter((push) => !push.judged)
        .map((push) => push.process.stop('the server is stopping')),
    );
    await Promise.all(this.#running);
  }

  /** Never rejects: errors are sent to the reader of the channel and to the log. */
  async #run(
    push: Push,
    { body, begun }: { readonly body: AsyncIterator<Uint8Array>; readonly begun: readonly Uint8Array[] },
  ): Promise<void> {
    const { location, request, process, channel } = push;
    const here = this.#pushes.get(location.directory) ?? new Set();
    this.#pushes.set(location.directory, here.add(push));
    const onAbort = (): void => {
      channel.discard();
      void this.#clientLeft(push);
    };
    if (request.signal.aborted) onAbort();
    else request.signal.addEventListener('abort', onAbort, { once: true });
    // Once refs may move, the whole body has arrived and the minimum transfer rate does not apply.
    const pace = new Pace(this.parts.limits.leastRate, () => {
      if (!push.judged) void process.stop(slowRequest);
    });
    feed(process, body, { head: begun, pace }).catch(async (error: unknown) => {
      // The client of a rejected body still waits for the answer, so git must report the incomplete push.
      if (error instanceof HexforgeError) process.stdin.end();
      else await this.#clientLeft(push);
    });
    void this.#judging.judge(push).then(() => stopWhenLost(push, this.parts));
    let failure: { readonly error: unknown } | undefined;
    try {
      await this.#answer(push);
    } catch (error) {
      if (!request.signal.aborted)
        this.parts.log.error(
          { repository: location.id, err: error, stderr: process.stderr },
          'a push was not finished',
        );
      failure = { error };
    } finally {
      request.signal.removeEventListener('abort', onAbort);
      await process.stop('its push is over');
      here.delete(push);
      await this.#cleanUp(push, here);
      // Only now, because the client may read the repository once the answer ends.
      if (failure === undefined) channel.end();
      else this.#breakOff(push, failure.error);
    }
  }

  async #answer(push: Push): Promise<void> {
    const { process, channel, head, request, location } = push;
    const multiplexed = isMultiplexed(head);
    const report = new PushReport(multiplexed);
    for await (const chunk of process.output()) {
      process.touch();
      for (const passing of report.take(chunk)) await channel.push(passing);
    }
    const { code } = await process.ended;
    const moved = await this.#moved(push, report);
    if (moved.length > 0) await this.#tell(push, moved);
    const instead = (reasonOf: Parameters<typeof reportOf>[1]): void =>
      void channel.push(reportOf(head.updates, reasonOf, multiplexed));
    // git, if it still reports, only states that the pack was cut off.
    if (process.stopped === slowRequest && moved.length === 0) return instead(() => slowRequest);
    if (request.signal.aborted) throw request.signal.reason;
    if (!report.complete) {
      // Removed during the push, by this process or another.
      if (await this.parts.repositories.gone(location)) return instead(() => 'the repository was removed');
      this.parts.log.warn(
        { repository: location.id, code, stopped: process.stopped, stderr: process.stderr },
        'a push ended without a report',
      );
      const landed = new Set(moved);
      if (landed.size > 0 || push.lost !== undefined)
        return instead((update) => (landed.has(update) ? undefined : (push.lost ?? 'git did not finish the push')));
    }
    const fault = this.#fault(push, report, code);
    channel.fault = fault;
    // Not awaited, so that a client that never reads its report does not keep others from pushing.
    if (fault !== undefined) void channel.push(reportOf(head.updates, () => fault.message, multiplexed, fault.message));
    else void channel.push(report.held);
  }

  /**
   * Makes moved refs durable and records them. Failures are only logged: the refs have moved, and a client that
   * received an error would push again and be rejected. Reconciliation of the intent records what could not be recorded
   * here.
   */
  async #tell({ location, request }: Push, moved: readonly RefUpdate[]): Promise<void> {
    const failed =
      (what: string) =>
      (error: unknown): void =>
        this.parts.log.error({ repository: location.id, err: error }, what);
    const names = moved.map(({ ref }) => ref);
    await syncRefs(location.directory, names, ['objects/pack']).catch(
      failed('the disk did not confirm a push that landed: it may be lost with the power'),
    );
    await request.landed(moved).catch(failed('a push that landed was not recorded'));
  }

  /**
   * The fault of the server because of which nothing was accepted, if there was one. git's report does not contain it.
   */
  #fault(push: Push, report: PushReport, code: number | null): HexforgeError | undefined {
    if (report.complete && report.accepted.size > 0) return undefined;
    const fault = push.unjudged ?? this.#spent(push, report);
    if (fault !== undefined || (report.complete && push.refused)) return fault;
    // The process was killed or lost, so its exit shows no reason. Programs that it had started may have been lost
    // before it.
    if (code === null) return cutOff(push.process);
    if (!report.complete) return new Internal('git did not finish the push');
    return report.declined ? undecided() : undefined;
  }

  /** git names an exhausted resource only outside its report, which just states the failure. */
  #spent({ process, location }: Push, report: PushReport): HexforgeError | undefined {
    const spent = spentAccordingTo(`${process.stderr}\n${report.said}`, location.directory);
    if (spent !== undefined)
      this.parts.log.error(
        { repository: location.id, directory: location.directory, err: spent },
        'a push was refused: a resource is spent',
      );
    return spent;
  }

  /**
   * Ends the answer with an error when it is unknown which refs moved. If the connection closed without a byte, HTTP
   * clients would send the push again.
   */
  #breakOff({ channel, head, request }: Push, error: unknown): void {
    if (request.signal.aborted) return channel.fail(error);
    channel.fault = new Unavailable('The branches and tags may have been changed, or not', {
      detail: 'Look at them before you push again',
      cause: error,
    });
    const told = `${channel.fault.message}: look at them before you push again`;
    // Without a side band the message can only be sent in the report.
    void channel.push(isMultiplexed(head) ? fatal(told) : reportOf(head.updates, () => told, false));
    channel.end();
  }

  /**
   * The refs that moved: those that git reports, which has compared the old value of each under its lock. If git was
   * stopped before it could report, those with their new value.
   */
  async #moved({ location, head, judged, unmoved }: Push, report: PushReport): Promise<readonly RefUpdate[]> {
    const updates = head.updates.filter((update) => !unmoved.has(update.ref) && update.old !== update.new);
    if (report.complete) return updates.filter(({ ref }) => report.accepted.has(ref));
    if (judged !== true) return [];
    const names = updates.map(({ ref }) => ref);
    const present = await this.parts.refs.readAll(location, names);
    return updates.filter((update, index) => present[index] === update.new);
  }

  async #clientLeft(push: Push): Promise<void> {
    if (push.judged) return;
    push.process.stdin.destroy();
    const timer = setTimeout(() => {
      // If refs may move by now, the push is finished.
      if (!push.judged) void push.process.stop('the client went away');
    }, noticeMs);
    await push.process.ended;
    clearTimeout(timer);
  }

  /** Never rejects. */
  async #cleanUp(push: Push, others: ReadonlySet<Push>): Promise<void> {
    const { location, process, quarantine, hooks } = push;
    const { removals, clear, changes } = this.parts;
    if (others.size === 0 && this.#pushes.get(location.directory) === others) this.#pushes.delete(location.directory);
    push.over = true;
    const { code } = await process.ended;
    await hooks.close();
    if (quarantine !== undefined) await removals.remove(quarantine);
    await clear(location);
    // A killed receive-pack may leave locks, and a quarantine whose name it never reported.
    for (const mark of push.marks) await changes.end(mark, code === 0 && process.stopped === undefined);
  }
}

/** Its processes were ended before they were done. */
const cutOff = ({ stopped }: GitProcess): Unavailable =>
  new Unavailable(`The push was stopped: ${stopped ?? 'its processes were ended'}`, { detail: 'Try again later' });

async function* nothing(): AsyncGenerator<Uint8Array> {
  // An answer without a byte.
}
