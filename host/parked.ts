// Parked events as the command line asks for them, of a running server or of a storage that was opened for it.
import type { Deliveries, ParkedEvent, Storage, SubscriptionState } from '#core/kernel/storage';
import type { Handlers } from './control.ts';

/** What `hexforge plugins parked` shows. */
export interface ParkedReport {
  /** The oldest first, at most `longestList`. */
  readonly events: readonly ParkedEvent[];
  readonly subscriptions: readonly SubscriptionState[];
}

/** What became of a replay or a drop. */
export interface ParkedOutcome {
  readonly done: number;
  /** How many are still parked for the plugin. */
  readonly left: number;
}

/** Parked events shown at once: an answer over the socket is bounded. */
export const longestList = 500;

/** Plugin → how many. Where the database does not answer none is known of. */
export const parkedCounts = ({ deliveries }: Pick<Storage, 'deliveries'>): Promise<ReadonlyMap<string, number>> =>
  deliveries.parkedCounts().catch(() => new Map<string, number>());

export async function parkedReport(deliveries: Deliveries): Promise<ParkedReport> {
  return { events: await deliveries.parked(longestList), subscriptions: await deliveries.subscriptions() };
}

/** @param argument the plugin's name, and after a space the event's id where it is one. */
export async function parkedAction(
  deliveries: Deliveries,
  action: 'replay' | 'drop',
  argument = '',
): Promise<ParkedOutcome> {
  const [plugin = '', event] = argument.split(' ');
  const done = await deliveries[action](plugin, event);
  return { done, left: (await deliveries.parkedCounts()).get(plugin) ?? 0 };
}

export const parkedControls = (deliveries: Deliveries): Handlers => ({
  parked: () => parkedReport(deliveries),
  replay: (argument) => parkedAction(deliveries, 'replay', argument),
  drop: (argument) => parkedAction(deliveries, 'drop', argument),
});
