// Handles a push in steps: parse the ref commands, announce them, receive the pack into quarantine, accept it, record
// the moved refs, report.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { HexforgeError, Unavailable, ValidationFailed } from '#core/kernel/errors';
import { zeroOid, type PushAnswer, type ReceiveRequest, type RefUpdate } from '#core/repositories/git/git-backend';
import type { PushHooks } from '#core/repositories/git/git-history';
import type { Foundation } from '../foundation.ts';
import { bytesIn, Quarantine } from '../storage/quarantine.ts';
import { absent, type RepositoryLocation } from '../storage/repositories.ts';
import { untilAborted } from '#adapters/git-common/waiting/until-aborted';
import { untilIdle } from '../waiting/until-idle.ts';
import type { Acceptances, Accepted } from './acceptance.ts';
import { Channel } from '#adapters/git-common/push/channel';
import { readPushCommands, type PushCommands } from '#adapters/git-common/push/commands';
import { isMultiplexed, messagesOf, reportOf } from './report.ts';

/** Bytes of the answer that wait for a client that reads slowly. */
const answerBytes = 256 * 1024;
/** Bytes of a refused pack that are read and dropped, so that the client reads the report. */
const droppedFactor = 4;

type Parts = Foundation & { readonly acceptances: Acceptances };

export class ReceivePack {
  readonly #parts: Parts;
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async receive(location: RepositoryLocation, request: ReceiveRequest): Promise<PushAnswer> {
    const arriving = untilIdle(request.body[Symbol.asyncIterator](), this.#parts.limits.idleSeconds, tooSlow);
    const body = untilAborted(arriving, request.signal);
    const head = await readPushCommands(body, this.#parts.limits.commandBytes);
    // git clients send an empty request first to find out whether they may push.
    if (head.updates.length === 0) return nothing();
    if (!head.capabilities.has('report-status') && !head.capabilities.has('report-status-v2'))
      throw new ValidationFailed('The git client does not ask what became of its push', {
        detail: 'body: the capability "report-status" is needed; update the client',
      });
    await request.announced(head.updates);
    const left = new AbortController();
    const signal = AbortSignal.any([request.signal, left.signal, this.#stopping.signal]);
    const channel: Channel = new Channel(answerBytes, async () => {
      left.abort(new Error('the reader left'));
      await finished;
    });
    const onAbort = (): void => channel.discard();
    request.signal.addEventListener('abort', onAbort, { once: true });
    const finished = this.#run(location, request, head, body, { channel, signal }).finally(() => {
      request.signal.removeEventListener('abort', onAbort);
      this.#running.delete(finished);
    });
    this.#running.add(finished);
    return channel;
  }

  /**
   * A push made by the server itself.
   * @param quarantine has its pack.
   * @returns why the ref did not move; undefined if it moved.
   */
  async own(
    location: RepositoryLocation,
    update: RefUpdate,
    quarantine: Quarantine,
    hooks: PushHooks,
  ): Promise<string | undefined> {
    const { signal } = hooks;
    await hooks.announced([update]);
    const accepted = await this.#parts.acceptances.accept({
      location,
      updates: [update],
      isAtomic: false,
      quarantine,
      hooks,
      signal,
    });
    if (accepted.fault !== undefined) throw accepted.fault;
    if (accepted.moved.length > 0) await this.#tell(location, hooks, accepted);
    const [message] = accepted.messages;
    const reason = accepted.reasons.get(update.ref);
    if (reason === undefined) return undefined;
    return accepted.unpacked === 'ok' ? (message ?? reason) : accepted.unpacked;
  }

  /** Stops the pushes whose refs may not move yet, and waits for all. */
  async settled(): Promise<void> {
    this.#stopping.abort(new Unavailable('The server is stopping'));
    await Promise.all(this.#running);
  }

  /** Never rejects: errors are sent to the reader of the channel. */
  async #run(
    location: RepositoryLocation,
    request: ReceiveRequest,
    head: PushCommands,
    body: AsyncIterator<Uint8Array>,
    { channel, signal }: { readonly channel: Channel; readonly signal: AbortSignal },
  ): Promise<void> {
    const { updates, capabilities } = head;
    const multiplexed = isMultiplexed(capabilities);
    let quarantine: Quarantine | undefined;
    try {
      const hasPack = updates.some((update) => update.new !== zeroOid);
      let refused: string | undefined;
      if (hasPack) {
        quarantine = await Quarantine.open(location);
        refused = await this.#store(location, head, untilAborted(body, signal), quarantine);
      }
      if (refused !== undefined) {
        await channel.push(reportOf(updates, () => 'unpacker error', multiplexed, refused));
      } else {
        const accepted = await this.#parts.acceptances.accept({
          location,
          updates,
          isAtomic: capabilities.has('atomic'),
          quarantine,
          hooks: request,
          signal,
        });
        channel.fault = accepted.fault;
        if (accepted.moved.length > 0) await this.#tell(location, request, accepted);
        if (multiplexed && accepted.messages.length > 0) void channel.push(messagesOf(accepted.messages));
        void channel.push(reportOf(updates, (ref) => accepted.reasons.get(ref), multiplexed, accepted.unpacked));
      }
      await quarantine?.close();
      if (request.signal.aborted) channel.fail(request.signal.reason);
      channel.end();
    } catch (error) {
      await quarantine?.close().catch(() => undefined);
      const exists = await this.#parts.repositories.exists(location).catch(() => true);
      if (!signal.aborted && exists)
        this.#parts.log.error({ repository: location.id, err: error }, 'a push was not finished');
      channel.fail(signal.aborted ? signal.reason : exists ? error : absent(location.id));
    } finally {
      await this.#parts.repositories.discardRemains(location).catch(() => undefined);
    }
  }

  /** Writes the pack to the quarantine. @returns why it is refused, if it is too large. */
  async #store(
    location: RepositoryLocation,
    head: PushCommands,
    body: AsyncIterator<Uint8Array>,
    quarantine: Quarantine,
  ): Promise<string | undefined> {
    const { pushBytes, repositoryBytes } = this.#parts.limits;
    const present = await bytesIn(join(location.directory, 'objects'));
    const room = repositoryBytes - present;
    const most = Math.min(pushBytes, Math.max(0, room));
    const file = await open(quarantine.packPath, 'wx', 0o600);
    let bytes = 0;
    try {
      let chunk: Uint8Array | undefined = head.rest;
      for (;;) {
        bytes += chunk.length;
        if (bytes <= most) await writeAll(file, chunk);
        if (bytes > most + droppedFactor * pushBytes) break;
        const next: IteratorResult<Uint8Array> = await body.next().catch(asEnd);
        if (next.done === true) break;
        chunk = next.value;
      }
    } finally {
      await file.close();
    }
    if (bytes <= most) return undefined;
    return bytes > pushBytes
      ? `pack exceeds maximum allowed size (${pushBytes} bytes)`
      : `the repository would exceed ${repositoryBytes} bytes, the most that git-wasm takes`;
  }

  /** A failure is only logged: the refs have moved, and the intent is recorded later. */
  async #tell(
    location: RepositoryLocation,
    { landed }: Pick<ReceiveRequest, 'landed'>,
    { moved }: Accepted,
  ): Promise<void> {
    await landed(moved).catch((error: unknown) =>
      this.#parts.log.error({ repository: location.id, err: error }, 'a push that landed was not recorded'),
    );
  }
}

/**
 * The client of a body that is refused still waits for the answer: an incomplete pack is reported, a complete one is
 * judged.
 */
function asEnd(error: unknown): { readonly done: true; readonly value: undefined } {
  if (error instanceof HexforgeError) return { done: true, value: undefined };
  throw error;
}

const tooSlow = (): Unavailable => new Unavailable('The push was given up: the request came too slowly');

async function writeAll(file: Awaited<ReturnType<typeof open>>, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten;
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // An answer without a byte.
}
