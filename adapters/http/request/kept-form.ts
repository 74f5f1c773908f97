// The texts of a form that was refused, for the page of the refusal.
import type { Request } from '@hapi/hapi';
import { callerKey } from '#core/kernel/access/current-caller';
import type { MemoryBudget } from '#core/kernel/limits/memory-budget';
import type { KeptTexts } from '../descriptor/html.ts';
import type { Route } from '../descriptor/route.ts';
import { readFormWithFiles } from './multipart.ts';

/** Also forms that are too large for their operation are shown, up to this many bytes. */
const mostBytes = 2 * 1024 * 1024;

/**
 * Reads the form if it was refused before it was read, as by a budget of requests; of signed-in users alone.
 * @returns nothing if it cannot be read.
 */
export async function keptTexts(
  { app: { exchange }, raw: { req } }: Request,
  { kept }: Pick<Route, 'kept'>,
  memory: MemoryBudget,
): Promise<KeptTexts> {
  if (kept === undefined || exchange.caller.kind !== 'user' || exchange.abandoned) return [];
  if (exchange.form === undefined && !req.readableDidRead) {
    exchange.hold ??= memory.hold(callerKey(exchange.caller, exchange.ip));
    const { take } = exchange.hold;
    const sent = await readFormWithFiles(req, mostBytes, take).catch(() => undefined);
    exchange.form = sent as typeof exchange.form;
  }
  return exchange.form === undefined ? [] : kept(exchange.form);
}
