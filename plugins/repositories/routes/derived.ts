// Answers that follow from something small: known by its entity tag, made only where nobody has it.
import { entityTag, tagged, type Tagged } from 'hexforge/plugin';
import type { Derived } from '#core/repositories/index';

/** What is seen depends on who asks, and is asked for again each time. */
export const revalidated = { 'cache-control': 'private, must-revalidate, max-age=0' } as const;

export const derived = <T, R>({ basis, read }: Derived<T>, present: (found: T) => R): Tagged<R> =>
  tagged(entityTag(basis), async () => present(await read()), revalidated);
