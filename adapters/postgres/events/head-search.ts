// Searches the owners of each handler for due chains, a part of them at a time, and continues where it stopped.
import type { OwnedSubscription } from '#core/kernel/storage/storage';
import { type DueOptions, type Found, mostChains, mostOwners, type SearchFrom } from './due.ts';
import { tookTooLong } from '../statements/errors.ts';
import type { ChainHead } from './fair-choice.ts';

export interface HeadSearchOptions {
  readonly find: (options: DueOptions) => Promise<readonly Found[]>;
  /** Called when the search for one handler took too long. It is skipped in this round. */
  readonly skipped: (handler: SearchFrom) => void;
}

/** The most owners whose last chain is remembered. */
const mostRemembered = 1000;

export class HeadSearch {
  readonly #options: HeadSearchOptions;
  /** The last owner that was searched, by handler; none if the last owner of all was. */
  readonly #owners = new Map<string, string>();
  /** The last chain that was found or looked at, by handler and owner; only of owners with more chains. */
  readonly #chains = new Map<string, SearchFrom['chains'][number] & { readonly key: string }>();
  /** How many times the search for a handler still has to reach its last owner in this round. */
  readonly #passes = new Map<string, number>();

  constructor(options: HeadSearchOptions) {
    this.#options = options;
  }

  /** Begins a round, in which each owner of each handler is searched once. */
  restart(): void {
    this.#passes.clear();
  }

  /**
   * The heads of due chains of the next owners of these handlers.
   * @returns `more` is true if owners of these handlers have not been searched in this round.
   */
  async next(
    handlers: readonly OwnedSubscription[],
    { running, each }: Omit<DueOptions, 'from'>,
  ): Promise<{ readonly heads: readonly ChainHead[]; readonly more: boolean }> {
    const from = handlers.map((handler) => this.#from(handler)).filter((one) => this.#left(keyOf(one)) > 0);
    if (from.length === 0) return { heads: [], more: false };
    const heads: ChainHead[] = [];
    for (const { searched, found } of await this.#find({ from, running, each })) {
      heads.push(...found.flatMap(headOf));
      for (const one of searched)
        this.#advance(
          one,
          found.filter((row) => keyOf(row) === keyOf(one)),
          each,
        );
    }
    return { heads, more: from.some((one) => this.#left(keyOf(one)) > 0) };
  }

  /** One search for all handlers. If it takes too long, one for each, so that a slow one does not stop the others. */
  async #find({
    from,
    running,
    each,
  }: DueOptions): Promise<readonly { readonly searched: readonly SearchFrom[]; readonly found: readonly Found[] }[]> {
    const { find, skipped } = this.#options;
    try {
      return [{ searched: from, found: await find({ from, running, each }) }];
    } catch (error) {
      if (!tookTooLong(error)) throw error;
    }
    const results: { readonly searched: readonly SearchFrom[]; readonly found: readonly Found[] }[] = [];
    for (const one of from)
      try {
        results.push({ searched: [one], found: await find({ from: [one], running, each }) });
      } catch (error) {
        if (!tookTooLong(error)) throw error;
        this.#passes.set(keyOf(one), 0);
        skipped(one);
      }
    return results;
  }

  #from({ plugin, subscription: { name: subscription } }: OwnedSubscription): SearchFrom {
    const key = keyOf({ plugin, subscription });
    const after = this.#owners.get(key) ?? '';
    // A search that begins between two owners also has to search those before it.
    if (!this.#passes.has(key)) this.#passes.set(key, after === '' ? 1 : 2);
    const chains = [...this.#chains.values()].filter((one) => one.key === key);
    return { plugin, subscription, after, chains };
  }

  #left(key: string): number {
    return this.#passes.get(key) ?? 0;
  }

  #advance(from: SearchFrom, found: readonly Found[], each: number): void {
    const key = keyOf(from);
    const last = found.find(({ step }) => step === mostOwners)?.owner;
    if (last === undefined) {
      this.#owners.delete(key);
      this.#passes.set(key, this.#left(key) - 1);
    } else this.#owners.set(key, last);
    for (const { owner } of from.chains)
      if (owner > from.after && (last === undefined || owner <= last)) this.#chains.delete(`${key} ${owner}`);
    for (const [owner, chains] of Map.groupBy(found, (one) => one.owner)) {
      const { chain = null, look = 0 } = chains.at(-1) ?? {};
      if (chain !== null && (chains.length === each || look === mostChains)) this.#remember({ key, owner, chain });
    }
  }

  #remember(one: SearchFrom['chains'][number] & { readonly key: string }): void {
    this.#chains.set(`${one.key} ${one.owner}`, one);
    const [oldest] = this.#chains.keys();
    if (this.#chains.size > mostRemembered && oldest !== undefined) this.#chains.delete(oldest);
  }
}

const keyOf = ({ plugin, subscription }: Pick<SearchFrom, 'plugin' | 'subscription'>): string =>
  `${plugin} ${subscription}`;
const headOf = ({ plugin, owner, chain, position, due }: Found): readonly ChainHead[] =>
  chain !== null && due ? [{ plugin, owner, chain, position }] : [];
