// Accepts the objects and ref updates of a push, of a client or of the server: checks the objects in quarantine, has
// the refs judged, makes the objects part of the repository, and moves the refs.
import { HexforgeError, Unavailable, Unprocessable } from '#core/kernel/errors';
import { zeroOid, type ReceiveRequest, type RefUpdate, type RefVerdict } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import type { RefChanges } from '../refs/ref-changes.ts';
import { hiddenRefs, type Refs } from '../refs/refs.ts';
import type { Quarantine } from '../storage/quarantine.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { orAborted } from '#adapters/git-common/waiting/until-aborted';
import { oneLine } from './report.ts';

export interface Acceptance {
  readonly location: RepositoryLocation;
  readonly updates: readonly RefUpdate[];
  readonly isAtomic: boolean;
  /** Undefined if the push has no objects. */
  readonly quarantine: Quarantine | undefined;
  readonly hooks: Pick<ReceiveRequest, 'judge' | 'landed' | 'stands'>;
  /** Ends the push if its refs may not move yet. */
  readonly signal: AbortSignal;
}

export interface Accepted {
  /** Why the objects were refused; `ok` if they were not. */
  readonly unpacked: string;
  /** By ref, why it did not move. */
  readonly reasons: ReadonlyMap<string, string>;
  /** Reasons of the judge, for the user. */
  readonly messages: readonly string[];
  readonly moved: readonly RefUpdate[];
  /** A fault of the server because of which nothing was accepted. */
  readonly fault?: HexforgeError;
}

type Parts = Foundation & { readonly refs: Refs; readonly refChanges: RefChanges };

export class Acceptances {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws the signal's reason, if it is aborted before the refs may move. */
  async accept(push: Acceptance): Promise<Accepted> {
    const { updates, quarantine, signal } = push;
    const refuseAll = (unpacked: string, reason: string, more: Partial<Accepted> = {}): Accepted => ({
      unpacked,
      reasons: new Map(updates.map(({ ref }) => [ref, reason])),
      messages: [],
      moved: [],
      ...more,
    });
    let indexed: Indexed | undefined;
    try {
      indexed = quarantine && (await this.#index(push, quarantine));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Unprocessable && error.code === 'pack_refused')
        return refuseAll(oneLine(error.message), 'unpacker error');
      const fault = this.#faultOf(push, error);
      return refuseAll(oneLine(fault.message), oneLine(fault.message), { fault });
    }
    const reasons = await this.#unfit(push);
    const judged = updates.filter(({ ref }) => !reasons.has(ref));
    let verdicts: readonly RefVerdict[];
    try {
      verdicts = judged.length === 0 ? [] : await orAborted(this.#verdicts(push, judged), signal);
    } catch (error) {
      signal.throwIfAborted();
      const fault = this.#faultOf(push, error);
      return refuseAll(oneLine(fault.message), oneLine(fault.message), { fault });
    }
    const messages = new Set<string>();
    const refused = verdicts.filter(({ refusal }) => refusal !== undefined);
    for (const { refusal } of refused) messages.add(oneLine(refusal ?? ''));
    const isWhole = refused.length === judged.length;
    for (const { ref } of refused) reasons.set(ref, isWhole ? 'pre-receive hook declined' : 'hook declined');
    if (reasons.size > 0 && push.isAtomic)
      for (const { ref } of updates) if (!reasons.has(ref)) reasons.set(ref, 'atomic push failure');
    signal.throwIfAborted();
    const moved = await this.#land(push, indexed, reasons);
    return { unpacked: 'ok', reasons, messages: [...messages], moved };
  }

  async #index({ location, updates, signal }: Acceptance, quarantine: Quarantine): Promise<Indexed> {
    const now = this.#parts.repositories.location(location.id);
    const tips = updates.map((update) => update.new).filter((oid) => oid !== zeroOid);
    const { packPath, indexPath } = quarantine;
    const found = await this.#parts.threads.run(
      'indexPack',
      now,
      { packPath, indexPath, tips },
      { kind: 'transfer', signal },
    );
    return { ...found, generation: now.generation };
  }

  /** Refs that cannot move, whatever the judge says. */
  async #unfit({ location, updates, quarantine }: Acceptance): Promise<Map<string, string>> {
    const reasons = new Map<string, string>();
    const branches = updates.filter((update) => update.ref.startsWith('refs/heads/') && update.new !== zeroOid);
    const types =
      branches.length === 0
        ? []
        : await this.#parts.threads.run(
            'types',
            location,
            branches.map((update) => update.new),
            {
              kind: 'read',
              quarantine: quarantine?.folder,
            },
          );
    for (const [index, { ref }] of branches.entries())
      if (types[index] !== 'commit')
        reasons.set(ref, types[index] === undefined ? 'missing necessary objects' : 'a branch must point to a commit');
    for (const { ref } of updates) if (ref.startsWith(`${hiddenRefs}/`)) reasons.set(ref, 'deny updating a hidden ref');
    return reasons;
  }

  /** A verdict for every ref. A ref without one is refused. */
  async #verdicts(
    { location, hooks, isAtomic, quarantine, signal }: Acceptance,
    updates: readonly RefUpdate[],
  ): Promise<readonly RefVerdict[]> {
    const given = await hooks.judge(updates, {
      isAncestor: async (older, newer) =>
        await this.#parts.threads.run(
          'isAncestor',
          location,
          { older, newer },
          { kind: 'compute', signal, quarantine: quarantine?.folder },
        ),
      atomic: isAtomic,
      size: async () => (await quarantine?.bytes()) ?? 0,
    });
    const byRef = new Map(given.map((verdict) => [verdict.ref, verdict]));
    return updates.map(({ ref }) => byRef.get(ref) ?? { ref, refusal: `The server did not decide about "${ref}"` });
  }

  /** Adds the reasons of refs that did not move. @returns those that did. */
  #land(push: Acceptance, indexed: Indexed | undefined, reasons: Map<string, string>): Promise<readonly RefUpdate[]> {
    const { location, updates, quarantine } = push;
    // Objects that the push relies on must not be removed before its refs move.
    return this.#parts.locks.shared(location.id, async () => {
      const asked = updates.filter(({ ref }) => !reasons.has(ref));
      const present = await this.#parts.refs.readAll(
        location,
        asked.map(({ ref }) => ref),
      );
      const moving = asked.filter(
        (update, index) => update.old !== update.new && (update.new !== zeroOid || present[index] !== zeroOid),
      );
      const stale = moving.filter((update) => present[asked.indexOf(update)] !== update.old);
      for (const { ref } of stale) reasons.set(ref, 'failed to update ref: it was changed meanwhile');
      if (stale.length > 0 && push.isAtomic)
        for (const { ref } of moving) reasons.set(ref, 'atomic transaction failed');
      const fresh = moving.filter(({ ref }) => !reasons.has(ref));
      if (fresh.length === 0) return [];
      if (indexed !== undefined && quarantine !== undefined && indexed.objects > 0) {
        const { generation } = this.#parts.repositories.location(location.id);
        const checked = generation === indexed.generation ? indexed : await this.#index(push, quarantine);
        await quarantine.keep(checked.name);
      }
      return await this.#move(push, fresh, reasons);
    });
  }

  async #move(
    { location, isAtomic, hooks }: Acceptance,
    updates: readonly RefUpdate[],
    reasons: Map<string, string>,
  ): Promise<readonly RefUpdate[]> {
    const { refChanges, limits } = this.#parts;
    if ((await refChanges.move(location.directory, updates)) === 'moved') return updates;
    if (isAtomic) {
      for (const { ref } of updates) reasons.set(ref, 'atomic transaction failed');
      return [];
    }
    const moved: RefUpdate[] = [];
    let askedAt = performance.now();
    let lost: string | undefined;
    for (const update of updates) {
      if (lost === undefined && performance.now() - askedAt > limits.standsSeconds * 1000) {
        lost = await hooks.stands?.();
        askedAt = performance.now();
      }
      const outcome =
        lost === undefined ? await refChanges.move(location.directory, [update]).catch(() => 'busy') : lost;
      if (outcome === 'moved') moved.push(update);
      else reasons.set(update.ref, outcome === lost ? oneLine(lost ?? '') : (words[outcome] ?? 'failed to update ref'));
    }
    return moved;
  }

  #faultOf({ location }: Acceptance, error: unknown): HexforgeError {
    this.#parts.log.error({ repository: location.id, err: error }, 'a push could not be judged or taken in');
    return error instanceof HexforgeError && error.kind !== 'internal' ? error : undecided(error);
  }
}

interface Indexed {
  readonly objects: number;
  readonly name: string;
  readonly generation: number;
}

const words: Readonly<Record<string, string>> = {
  stale: 'failed to update ref: it was changed meanwhile',
  'in-the-way': 'failed to update ref: its name is the folder of another ref, or the other way round',
  busy: 'failed to lock ref',
};

const undecided = (cause: unknown): Unavailable =>
  new Unavailable('The server could not decide about this push; try again later', { cause });
