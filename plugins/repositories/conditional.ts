// Conditional answers for what is derived from commits: 304 by an entity tag that is known before the work is done.
import { entityTag, reply, tagged, type Reply, type Tagged } from 'hexforge/plugin';
import type { Derived } from 'hexforge/repositories';

/** Whether it may be seen depends on who asks, so it is asked for again each time. */
export const revalidated = { 'cache-control': 'private, must-revalidate, max-age=0' } as const;

export const derived = <T, R>({ basis, read }: Derived<T>, present: (found: T) => R | Reply<R>): Tagged<R> =>
  tagged(entityTag(basis), async () => present(await read()), revalidated);

/** Of an answer that lacks a part of a list in it. */
export const truncatedMark = { 'x-truncated': 'true' } as const;
export const marked = <R>(body: R, { truncated }: { readonly truncated: boolean }): R | Reply<R> =>
  truncated ? reply(body, { headers: truncatedMark }) : body;
