// Shows, retries and discards dead letters for the command line, on a running server or on a storage opened for it.
import type { Deliveries, ParkedEvent, Storage, SubscriptionState } from '#core/kernel/storage/storage';

/** The data of `hexforge plugins parked`. */
export interface DeadLetterReport {
  /** The dead letters, oldest first, at most `longestList`. */
  readonly events: readonly ParkedEvent[];
  readonly subscriptions: readonly SubscriptionState[];
}

/** The result of retrying or discarding dead letters. */
export interface DeadLetterOutcome {
  readonly done: number;
  /** How many dead letters of the plugin remain. */
  readonly left: number;
}

/** The most dead letters in one report, because a response over the socket is bounded. */
export const longestList = 500;

/** The number of dead letters by plugin; empty if the database does not respond. */
export const parkedCounts = ({ deliveries }: Pick<Storage, 'deliveries'>): Promise<ReadonlyMap<string, number>> =>
  deliveries.parkedCounts().catch(() => new Map<string, number>());

export async function deadLetterReport(deliveries: Deliveries): Promise<DeadLetterReport> {
  return { events: await deliveries.parked(longestList), subscriptions: await deliveries.subscriptions() };
}

/** @param argument The plugin's name, optionally followed by a space and an event id. */
export async function deadLetterAction(
  deliveries: Deliveries,
  action: 'replay' | 'drop',
  argument = '',
): Promise<DeadLetterOutcome> {
  const [plugin = '', event] = argument.split(' ');
  const done = await deliveries[action](plugin, event);
  return { done, left: (await deliveries.parkedCounts()).get(plugin) ?? 0 };
}
