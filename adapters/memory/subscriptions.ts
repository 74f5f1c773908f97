// Durable subscriptions and dead letters in memory, with the semantics of the database's.
import { typesOf, type EventAmong, type EventOf, type EventType } from '#core/kernel/storage/events';
import type { HandlerOf, PendingEvents, RefFilter } from '#core/kernel/storage/pending-events';
import type { Deliveries, OwnedSubscription } from '#core/kernel/storage/storage';
import type { Delivered, Memory, Remembered } from './state.ts';

export const nameOf = (plugin: string, name: string): string => `${plugin} ${name}`;

/** An event that waits for its first attempt. */
export const delivery = (event: EventOf): Delivered => ({ event, attempts: 0, error: '', parkedAt: undefined });

/**
 * Registers the given subscriptions, and removes all others of these plugins together with their waiting events.
 * @param most the most past events of a new subscription.
 */
export function remember(
  { subscriptions, past }: Memory,
  given: readonly OwnedSubscription[],
  plugins: readonly string[],
  most: number,
): void {
  const keys = given.map(({ plugin, subscription }) => nameOf(plugin, subscription.name));
  const twice = given.find((_, index) => keys.indexOf(keys[index] ?? '') !== index);
  if (twice !== undefined)
    throw new Error(`plugin "${twice.plugin}" subscribes twice under the name "${twice.subscription.name}"`);
  for (const [key, one] of subscriptions) {
    if (!plugins.includes(one.plugin) || keys.includes(key)) continue;
    one.waiting.clear();
    one.forgotten = true;
    if (one.parked.size === 0) subscriptions.delete(key);
  }
  for (const { plugin, subscription } of given) {
    const { name } = subscription;
    const types = typesOf(subscription);
    const key = nameOf(plugin, name);
    const known = subscriptions.get(key);
    for (const one of known?.waiting ?? []) if (!types.includes(one.event.type)) known?.waiting.delete(one);
    const { waiting = new Set<Delivered>(), parked = new Set<Delivered>(), missed = 0 } = known ?? {};
    const added = types.filter((type) => known === undefined || known.forgotten || !known.types.includes(type));
    if (subscription.past === true && added.length > 0)
      for (const event of past.filter(({ type }) => added.includes(type)).slice(-most))
        if (![...parked].some((one) => one.event.id === event.id)) waiting.add(delivery(event));
    subscriptions.set(key, { plugin, name, types, forgotten: false, waiting, parked, missed });
  }
}

/** @param wake called when an event may be due. */
export function memoryDeliveries({ subscriptions }: Memory, wake: () => void): Deliveries {
  const deadLettersOf = (plugin: string, event: string | undefined): readonly (readonly [Remembered, Delivered])[] =>
    [...subscriptions.values()]
      .filter((one) => one.plugin === plugin)
      .flatMap((one) => [...one.parked].map((delivered) => [one, delivered] as const))
      .filter(([, delivered]) => event === undefined || delivered.event.id === event.toLowerCase());
  return {
    async subscriptions() {
      return [...subscriptions.values()]
        .map(({ plugin, name, types, waiting, parked, missed, forgotten }) => ({
          plugin,
          subscription: name,
          type: forgotten ? '' : types.join(', '),
          waiting: waiting.size,
          parked: parked.size,
          missed,
        }))
        .sort((one, other) =>
          nameOf(one.plugin, one.subscription) < nameOf(other.plugin, other.subscription) ? -1 : 1,
        );
    },
    async parkedCounts() {
      const counts = new Map<string, number>();
      for (const { plugin, parked } of subscriptions.values())
        if (parked.size > 0) counts.set(plugin, (counts.get(plugin) ?? 0) + parked.size);
      return counts;
    },
    async parked(limit) {
      return [...subscriptions.values()]
        .flatMap(({ plugin, name, parked }) =>
          [...parked].map(({ event, attempts, error, parkedAt }) => ({
            plugin,
            subscription: name,
            event: event.id,
            type: event.type,
            aggregate: event.aggregate,
            attempts,
            parkedAt: parkedAt ?? event.at,
            error,
          })),
        )
        .sort((one, other) => one.parkedAt.getTime() - other.parkedAt.getTime())
        .slice(0, limit);
    },
    async replay(plugin, event) {
      const chosen = deadLettersOf(plugin, event).filter(([{ forgotten }]) => !forgotten);
      for (const [one, delivered] of chosen) {
        one.parked.delete(delivered);
        one.waiting.add({ ...delivered, attempts: 0, parkedAt: undefined });
      }
      wake();
      return chosen.length;
    },
    async drop(plugin, event) {
      const chosen = deadLettersOf(plugin, event);
      for (const [one, delivered] of chosen) one.parked.delete(delivered);
      for (const [key, one] of subscriptions) {
        if (one.plugin !== plugin) continue;
        if (event === undefined) one.missed = 0;
        if (one.forgotten && one.parked.size === 0) subscriptions.delete(key);
      }
      return chosen.length;
    },
  } satisfies Deliveries;
}

/** Events before the start of the delivery are in the backlog, later ones wait in their subscription. */
export const memoryPendingEvents = ({ subscriptions, backlog }: Memory): PendingEvents => ({
  async of<T extends EventType>(
    { plugin, subscription, types }: HandlerOf<T>,
    aggregates: readonly string[],
    limit: number,
    refs?: RefFilter,
  ): Promise<readonly EventAmong<T>[]> {
    const waiting = subscriptions.get(nameOf(plugin, subscription))?.waiting ?? [];
    const pending = [...[...waiting].map(({ event }) => event), ...backlog].filter(
      (event): event is EventAmong<T> =>
        types.some((type) => type === event.type) && aggregates.includes(event.aggregate),
    );
    return newestOf(pending, limit, refs).map((event) => structuredClone(event));
  },
});

/** The newest events that match, in their order; if there are more than `limit`, those of `refs.refs` first. */
export function newestOf<E extends EventOf>(events: readonly E[], limit: number, wanted?: RefFilter): readonly E[] {
  if (wanted === undefined) return events.slice(-limit);
  const { refs, under } = wanted;
  const refOf = ({ payload }: E): string | undefined => (payload as { readonly ref?: string }).ref;
  const isFirst = (event: E): boolean => {
    const ref = refOf(event);
    return ref === undefined || refs.includes(ref);
  };
  const isUnder = (event: E): boolean => under !== undefined && refOf(event)?.startsWith(under) === true;
  const first = events.filter(isFirst).slice(-limit);
  const others = events.filter((event) => !isFirst(event) && isUnder(event));
  const chosen = new Set([...first, ...others.slice(Math.max(0, others.length - (limit - first.length)))]);
  return events.filter((event) => chosen.has(event));
}
