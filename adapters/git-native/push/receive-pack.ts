// A push, served by `git receive-pack` in steps: parse the ref commands, announce them, take the pack into quarantine,
// judge each ref, make what moved durable, tell, report.
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { HexforgeError, Internal, ValidationFailed } from '#core/kernel/errors';
import {
  zeroOid,
  type Oid,
  type ReceiveRequest,
  type RefUpdate,
  type RefVerdict,
} from '#core/repositories/git-backend';
import type { GitProcess } from '../process/git-process.ts';
import type { LiveProcesses } from '../process/live-processes.ts';
import type { Refs } from '../refs/refs.ts';
import { syncRefs } from '../storage/durable-files.ts';
import { ignoreMissing } from '../storage/errno.ts';
import { bytesIn } from '../storage/folder-size.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { feed, protocolVariable, receiveConfig, type SmartHttpParts } from '../transport/smart-http.ts';
import { Channel } from './channel.ts';
import { readPushCommands, type PushCommands } from './commands.ts';
import {
  answerPreReceive,
  readPreReceive,
  oneLine,
  verdictsVariable,
  type PreReceiveQuestion,
  type Hooks,
  type PushHooks,
} from './hooks.ts';
import { PushReport, refusedReport } from './report.ts';

export interface ReceivePackParts extends SmartHttpParts {
  readonly refs: Refs;
  readonly hooks: Hooks;
  readonly liveProcesses: LiveProcesses;
  /** Whether its repository was removed meanwhile. */
  readonly gone: (location: RepositoryLocation) => Promise<boolean>;
  /** Removes what git wrote where it was. */
  readonly clear: (location: RepositoryLocation) => Promise<void>;
}

/** Bytes of progress kept for a client that reads slowly. */
const progressBytes = 256 * 1024;
/** A client that left: git is given this long to notice by itself, which cleans up best. */
const noticeMs = 500;

/** One push from its first byte to its last. */
interface Push {
  readonly location: RepositoryLocation;
  readonly head: PushCommands;
  readonly request: ReceiveRequest;
  readonly process: GitProcess;
  readonly hooks: PushHooks;
  readonly channel: Channel;
  /** Past its verdict it is finished even where the client has left: its refs may move at any moment. */
  judged: boolean;
  quarantine: string | undefined;
  /** Refs that were not there to be deleted, which git reports as deleted. */
  absent: ReadonlySet<string>;
}

export class ReceivePack {
  readonly #parts: ReceivePackParts;
  readonly #pushes = new Map<string, Set<Push>>();
  readonly #running = new Set<Promise<void>>();

  constructor(parts: ReceivePackParts) {
    this.#parts = parts;
  }

  async receive(location: RepositoryLocation, request: ReceiveRequest): Promise<AsyncIterable<Uint8Array>> {
    const { limits, hooks, liveProcesses, transfers, processes } = this.#parts;
    const body = request.body[Symbol.asyncIterator]();
    const head = await readPushCommands(body, limits.commandBytes);
    // What git's client sends first to see whether it may send at all.
    if (head.updates.length === 0) return nothing();
    if (!head.capabilities.has('report-status') && !head.capabilities.has('report-status-v2')) {
      throw new ValidationFailed('The git client does not ask what became of its push', {
        detail: 'body: the capability "report-status" is needed; update the client',
      });
    }
    await liveProcesses.register();
    const pushHooks = await hooks.open(liveProcesses.folder);
    let release = (): void => undefined;
    try {
      await request.announced(head.updates);
      release = await transfers.acquire(request.signal);
      const process = await processes.start(['receive-pack', '--stateless-rpc', location.directory], {
        directory: location.directory,
        config: { ...receiveConfig(limits.pushBytes), 'core.hooksPath': pushHooks.folder },
        environment: {
          ...protocolVariable('git-receive-pack', request.protocol),
          [verdictsVariable]: pushHooks.verdicts,
        },
        extraPipes: 2,
        deadlineMs: limits.transferSeconds * 1000,
        idleMs: limits.idleSeconds * 1000,
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
        channel,
        judged: false,
        quarantine: undefined,
        absent: new Set(),
      };
      const finished = this.#run(push, body).finally(release);
      this.#running.add(finished);
      void finished.then(() => this.#running.delete(finished));
      return channel;
    } catch (error) {
      release();
      await pushHooks.close();
      throw error;
    }
  }

  /** Waits for the pushes that are past their verdict; the others' processes are ended by whoever closes. */
  async settled(): Promise<void> {
    await Promise.all(
      [...this.#pushes.values()]
        .flatMap((pushes) => [...pushes])
        .filter((push) => !push.judged)
        .map((push) => push.process.stop('the server is stopping')),
    );
    await Promise.all(this.#running);
  }

  /** Never rejects: what goes wrong goes to the reader of the channel and to the log. */
  async #run(push: Push, body: AsyncIterator<Uint8Array>): Promise<void> {
    const { location, request, process, channel } = push;
    const here = this.#pushes.get(location.directory) ?? new Set();
    this.#pushes.set(location.directory, here.add(push));
    const onAbort = (): void => {
      channel.discard();
      void this.#clientLeft(push);
    };
    if (request.signal.aborted) onAbort();
    else request.signal.addEventListener('abort', onAbort, { once: true });
    feed(process, body, push.head.raw).catch(async () => await this.#clientLeft(push));
    void this.#judge(push);
    let failure: { readonly error: unknown } | undefined;
    try {
      await this.#answer(push);
    } catch (error) {
      if (!request.signal.aborted)
        this.#parts.log.error(
          { repository: location.id, err: error, stderr: process.stderr },
          'a push was not finished',
        );
      failure = { error };
    } finally {
      request.signal.removeEventListener('abort', onAbort);
      await process.stop('its push is over');
      here.delete(push);
      await this.#cleanUp(push, here).catch((error: unknown) =>
        this.#parts.log.warn({ repository: location.id, err: error }, 'a push left temporary files behind'),
      );
      // Only now: who hears of the end may look at the repository.
      if (failure === undefined) channel.end();
      else channel.fail(failure.error);
    }
  }

  async #answer(push: Push): Promise<void> {
    const { process, channel, head, request, location } = push;
    const report = new PushReport(head.capabilities.has('side-band-64k'));
    for await (const chunk of process.stdout as AsyncIterable<Uint8Array>) {
      process.touch();
      for (const passing of report.take(chunk)) await channel.push(passing);
    }
    const { code } = await process.ended;
    const moved = report.complete ? this.#reported(push, report.accepted) : await this.#compared(push);
    if (moved.length > 0) {
      await syncRefs(
        location.directory,
        moved.map(({ ref }) => ref),
        ['objects/pack'],
      );
      await request.landed(moved);
    }
    // Not waited for: a client that never reads its report keeps nobody else from pushing.
    void channel.push(report.held);
    if (request.signal.aborted) throw request.signal.reason;
    if (!report.complete) {
      // Removed under its hands, by this process or another.
      if (await this.#parts.gone(location))
        return void channel.push(
          refusedReport(head.updates, 'the repository was removed', head.capabilities.has('side-band-64k')),
        );
      this.#parts.log.warn(
        { repository: location.id, code, stopped: process.stopped, stderr: process.stderr },
        'a push ended without a report',
      );
      throw new Internal(
        process.stopped === undefined ? 'git did not finish the push' : `The push was stopped: ${process.stopped}`,
      );
    }
  }

  /** Never rejects, and may outlive the push: whoever decides may be slower than a client is patient. */
  async #judge(push: Push): Promise<void> {
    const { process, request, location, head } = push;
    try {
      const question = await readPreReceive(process, 2 * this.#parts.limits.commandBytes);
      if (question === undefined) return;
      push.quarantine = quarantineOf(location, question);
      const verdicts = await this.#verdicts(push, question);
      const refused = verdicts.filter(({ refusal }) => refusal !== undefined);
      // Refused whole before the quarantine is left, so that nothing of it stays in the repository.
      if (refused.length === question.updates.length || (refused.length > 0 && head.capabilities.has('atomic'))) {
        answerPreReceive(process, [...new Set(refused.map(({ refusal }) => oneLine(refusal ?? '')))]);
        return;
      }
      push.absent = new Set(await this.#absent(location, question.updates));
      if (refused.length > 0) await push.hooks.refuseSome(verdicts);
      if (request.signal.aborted || !process.running) return;
      push.judged = true;
      answerPreReceive(process, undefined);
    } catch (error) {
      if (request.signal.aborted) return;
      if (await this.#parts.gone(location)) return answerPreReceive(process, ['The repository was removed']);
      this.#parts.log.error({ repository: location.id, err: error }, 'a push could not be judged');
      answerPreReceive(process, [
        error instanceof HexforgeError && error.kind !== 'internal'
          ? oneLine(error.message)
          : 'The server could not decide about this push; try again later',
      ]);
    }
  }

  /** A verdict for every ref asked about; one that was forgotten is a refusal. */
  async #verdicts(push: Push, { updates }: PreReceiveQuestion): Promise<readonly RefVerdict[]> {
    const given = new Map(
      (
        await push.request.judge(updates, {
          isAncestor: (older, newer) => this.#isAncestor(push, older, newer),
          size: async () => (push.quarantine === undefined ? 0 : await bytesIn(push.quarantine)),
        })
      ).map((verdict) => [verdict.ref, verdict]),
    );
    return updates.map(({ ref }) => given.get(ref) ?? { ref, refusal: `The server did not decide about "${ref}"` });
  }

  async #isAncestor({ location, quarantine, request }: Push, older: Oid, newer: Oid): Promise<boolean> {
    const { interactive, processes, limits } = this.#parts;
    const objects = join(location.directory, 'objects');
    const environment =
      quarantine === undefined
        ? {}
        : { GIT_OBJECT_DIRECTORY: quarantine, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects) };
    const { code, stderr } = await interactive.run(
      () =>
        processes.run([`--git-dir=${location.directory}`, 'merge-base', '--is-ancestor', older, newer], {
          directory: location.directory,
          environment,
          deadlineMs: limits.readSeconds * 1000,
          signal: request.signal,
        }),
      request.signal,
    );
    if (code > 1) throw new Internal(`git merge-base failed in repository "${location.id}"`, { detail: stderr });
    return code === 0;
  }

  async #absent(location: RepositoryLocation, updates: readonly RefUpdate[]): Promise<readonly string[]> {
    const deletions = updates.filter((update) => update.new === zeroOid).map(({ ref }) => ref);
    const present = await this.#parts.refs.readAll(location, deletions);
    return deletions.filter((_, index) => present[index] === zeroOid);
  }

  /** What git's own report says moved. git has compared the old value of each under its lock. */
  #reported({ head, absent }: Push, accepted: ReadonlySet<string>): readonly RefUpdate[] {
    return head.updates.filter(
      (update) => accepted.has(update.ref) && !absent.has(update.ref) && update.old !== update.new,
    );
  }

  /** The same where git was stopped before it could report: a ref that has its new value has moved. */
  async #compared({ location, head, judged, absent }: Push): Promise<readonly RefUpdate[]> {
    if (!judged) return [];
    const present = await this.#parts.refs.readAll(
      location,
      head.updates.map(({ ref }) => ref),
    );
    return head.updates.filter(
      (update, index) => present[index] === update.new && !absent.has(update.ref) && update.old !== update.new,
    );
  }

  async #clientLeft(push: Push): Promise<void> {
    if (push.judged) return;
    push.process.stdin.destroy();
    const timer = setTimeout(() => {
      // Judged meanwhile: then it is finished.
      if (!push.judged) void push.process.stop('the client went away');
    }, noticeMs);
    await push.process.ended;
    clearTimeout(timer);
  }

  async #cleanUp({ location, process, quarantine, hooks }: Push, others: ReadonlySet<Push>): Promise<void> {
    if (others.size === 0 && this.#pushes.get(location.directory) === others) this.#pushes.delete(location.directory);
    await hooks.close();
    if (quarantine !== undefined) await rm(quarantine, { recursive: true, force: true });
    await this.#parts.clear(location);
    if (process.stopped === undefined) return;
    // A killed receive-pack may leave a quarantine whose name it never told: whose it is is sure only where nobody else
    // pushes here.
    const objects = join(location.directory, 'objects');
    const left = ((await readdir(objects).catch(ignoreMissing)) ?? []).filter((name) =>
      /^(tmp_objdir-)?incoming-/.test(name),
    );
    if (left.length === 0 || others.size > 0 || (await this.#parts.liveProcesses.others()).living.length > 0) return;
    await Promise.all(left.map((name) => rm(join(objects, name), { recursive: true, force: true })));
  }
}

/** git tells it as it came by the repository, which it may have found through a symbolic link. */
function quarantineOf(location: RepositoryLocation, { quarantine }: PreReceiveQuestion): string | undefined {
  if (quarantine === undefined) return undefined;
  const name = basename(quarantine);
  if (!/^(tmp_objdir-)?incoming-\w+$/.test(name)) throw new Internal(`A git hook named the quarantine "${quarantine}"`);
  return join(location.directory, 'objects', name);
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // An answer without a byte.
}
