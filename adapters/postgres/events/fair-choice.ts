// Chooses the chains of events that run next, so that the events of one owner cannot use all slots.
import type { DeliveryTuning } from './delivery.ts';

/** The first waiting event of a chain. A chain is the events of one aggregate for one handler. */
export interface ChainHead {
  readonly plugin: string;
  readonly chain: string;
  readonly position: number;
  /** The owner of the event. */
  readonly owner: string;
}

/** A running chain. */
export interface Running extends Pick<ChainHead, 'plugin' | 'owner'> {
  /** Whether the attempt takes long and has released its slot of `width`. */
  readonly slow: boolean;
}

/** The most owners whose last choice is remembered. */
const mostServed = 1000;

/** An owner has at most half of all slots, and half of the slots of each plugin. */
const half = (slots: number): number => Math.max(1, Math.floor(slots / 2));

export class FairChoice {
  readonly #width: number;
  readonly #share: number;
  /** The owners chosen most recently; the last one is the newest. */
  readonly #served = new Map<string, number>();
  #choices = 0;

  constructor({ width, share }: Pick<DeliveryTuning, 'width' | 'share'>) {
    this.#width = width;
    this.#share = share;
  }

  /** The most chains of one owner that run for one plugin. */
  get ownerShare(): number {
    return half(this.#share);
  }

  /** How many slots are free. */
  free(running: Iterable<Running>): number {
    return this.#width - [...running].filter(({ slow }) => !slow).length;
  }

  /** Whether no chain of the plugin can begin. */
  full(plugin: string, running: Iterable<Running>): boolean {
    return [...running].filter((one) => one.plugin === plugin).length >= this.#share;
  }

  /**
   * The heads that begin now. The owner with the fewest running chains is next, then the one that was chosen least
   * recently, then the one with the oldest event.
   */
  next<H extends ChainHead>(heads: readonly H[], running: Iterable<Running>): readonly H[] {
    const begun: Running[] = [...running];
    const chosen: H[] = [];
    const waiting = Map.groupBy(
      heads.toSorted((one, other) => one.position - other.position),
      ({ owner }) => owner,
    );
    while (waiting.size > 0 && this.free(begun) > 0) {
      const owner = this.#nextOwner([...waiting.keys()], begun);
      const own = waiting.get(owner) ?? [];
      const index = own.findIndex(({ plugin }) => this.#fits(plugin, owner, begun));
      const [head] = index < 0 ? [] : own.splice(index, 1);
      if (head === undefined) {
        waiting.delete(owner);
        continue;
      }
      chosen.push(head);
      begun.push({ plugin: head.plugin, owner, slow: false });
      this.#remember(owner);
    }
    return chosen;
  }

  #nextOwner(owners: readonly string[], begun: readonly Running[]): string {
    const counts = new Map<string, number>();
    for (const { owner } of begun) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const before = (one: string, other: string): boolean =>
      ((counts.get(one) ?? 0) - (counts.get(other) ?? 0) ||
        (this.#served.get(one) ?? 0) - (this.#served.get(other) ?? 0)) < 0;
    return owners.reduce((best, owner) => (before(owner, best) ? owner : best));
  }

  #fits(plugin: string, owner: string, begun: readonly Running[]): boolean {
    const own = begun.filter((one) => one.owner === owner);
    return (
      !this.full(plugin, begun) &&
      own.filter((one) => one.plugin === plugin).length < this.ownerShare &&
      own.filter(({ slow }) => !slow).length < half(this.#width)
    );
  }

  #remember(owner: string): void {
    this.#choices += 1;
    this.#served.delete(owner);
    this.#served.set(owner, this.#choices);
    const [oldest] = this.#served.keys();
    if (this.#served.size > mostServed && oldest !== undefined) this.#served.delete(oldest);
  }
}
