// Conditional responses for data derived from commits: 304 by an entity tag that is known before the data is computed.
import { entityTag, reply, tagged, type Reply, type Tagged } from 'hexforge/plugin';
import type { Derived } from 'hexforge/repositories';

/** Caches must revalidate, because the caller may have lost access. */
export const revalidated = { 'cache-control': 'private, must-revalidate, max-age=0' } as const;

export const derived = <T, R>({ basis, read }: Derived<T>, present: (found: T) => R | Reply<R>): Tagged<R> =>
  tagged(entityTag(basis), async () => present(await read()), revalidated);

/** The header of a response whose list is cut. */
export const truncatedMark = { 'x-truncated': 'true' } as const;
export const marked = <R>(body: R, { truncated }: { readonly truncated: boolean }): R | Reply<R> =>
  truncated ? reply(body, { headers: truncatedMark }) : body;
