// The clock and the id generator of the operating system.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock, Ids } from '#core/kernel/time';

export const systemClock: Clock = { now: () => new Date() };

export const systemIds: Ids = {
  uuid: () => randomUUID(),
  bytes: (length) => new Uint8Array(randomBytes(length)),
};
