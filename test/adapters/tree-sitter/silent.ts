// Logs for the specs of the reader of symbols: one that keeps nothing, and one that keeps its messages.
import type { Log } from '#core/kernel/services/log';

const nothing = (): void => undefined;

export const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export function keptLog(): {
  readonly log: Log;
  readonly kept: { readonly message: string; readonly members: object }[];
} {
  const kept: { message: string; members: object }[] = [];
  const keep = (members: object, message: string): void => void kept.push({ message, members });
  return { kept, log: { debug: keep, info: keep, warn: keep, error: keep } };
}
