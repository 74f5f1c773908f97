// Contributed indexers: what of a plugin's data a search backend keeps, and the registry it reads them from.
import type Joi from 'joi';
import type { TypeOf } from '#adapters/http/shape';
import type { EventOf, EventType } from '#core/kernel/events';
import { declarePort } from '#core/kernel/ports';
import type { ScopeName } from '#core/kernel/scopes';
import type { Life } from '../life.ts';

/** One thing that can be found. Who may read its repository may find it. */
export interface IndexDocument<S> {
  /** Unique within the section. */
  readonly id: string;
  readonly repositoryId: string;
  /** What is searched; the title counts more. */
  readonly title?: string;
  readonly text: string;
  readonly updatedAt: Date;
  /** What a hit shows: `source` of the answer. */
  readonly source: S;
}

/** What became of documents: one to keep, one that is gone, or all of a repository, to be read again or forgotten. */
export type IndexChange<S> =
  | { readonly put: IndexDocument<S> }
  | { readonly remove: string }
  | { readonly reindex: string }
  | { readonly forget: string };

/** What of its data a plugin lets be found, as `indexer` takes it. */
export interface IndexerSpec<S, T extends EventType> {
  /** The section of a search, unique among the indexers of all plugins: `issues`. */
  readonly name: string;
  readonly description: string;
  /** The row of the scope catalogue that a token must satisfy to see the section; null where any will do. */
  readonly scope: ScopeName | null;
  /** Searched only where a search names it. */
  readonly optIn?: true;
  /** The shape of every document's `source`. */
  readonly source: Joi.ObjectSchema<S>;
  /** The events after which documents are others. */
  readonly follows: readonly T[];
  /** What one of them changed. Delivered as durable events are: at least once, in order per aggregate. */
  changed(event: EventOf<T>): AsyncIterable<IndexChange<S>> | Iterable<IndexChange<S>>;
  /** All documents of one repository, read piece by piece: for the first indexing and for `reindex`. */
  documents(repositoryId: string): AsyncIterable<IndexDocument<S>>;
}

/** An indexer whose types have done their work. */
export type Indexer = Omit<IndexerSpec<unknown, EventType>, 'source' | 'changed' | 'documents'> & {
  readonly source: Joi.ObjectSchema;
  changed(event: EventOf): AsyncIterable<IndexChange<unknown>> | Iterable<IndexChange<unknown>>;
  documents(repositoryId: string): AsyncIterable<IndexDocument<unknown>>;
};

/**
 * Declares what of a plugin's data is found by a search.
 *
 * @example
 *   indexers: ({ bells }) => [
 *     indexer({
 *       name: 'bells',
 *       description: 'Bells by what is written on them',
 *       scope: 'repo.read',
 *       source: shape({ name: word() }),
 *       follows: ['repository.deleted'],
 *       changed: ({ payload }) => [{ forget: payload.repository_id }],
 *       async *documents(repositoryId) {
 *         for (const name of await bells.of(repositoryId, 1000))
 *           yield { id: name, repositoryId, text: name, updatedAt: now, source: { name } };
 *       },
 *     }),
 *   ],
 */
export const indexer = <S extends Joi.ObjectSchema, const T extends EventType>(
  spec: Omit<IndexerSpec<TypeOf<S>, T>, 'source'> & { readonly source: S },
): Indexer => spec as unknown as Indexer;

export interface RegisteredIndexer {
  readonly plugin: string;
  readonly indexer: Indexer;
}

/** The indexers of the plugins that run, in the order of the configuration. Provided by the host. */
export interface IndexerRegistry {
  indexers(): readonly RegisteredIndexer[];
}

declare module '#core/kernel/ports' {
  interface Ports {
    IndexerRegistry: IndexerRegistry;
  }
}

declarePort('IndexerRegistry', {
  arity: 'single',
  component: 'registry of indexers',
  critical: false,
  absent: 'refuse',
});

/** Follows the plugins: the indexers of one that failed are gone. */
export const livingIndexers = (lives: readonly Life[]): IndexerRegistry => ({
  indexers: () =>
    lives
      .filter(({ usable }) => usable)
      .flatMap(({ name, made }) => (made?.indexers ?? []).map((one) => ({ plugin: name, indexer: one }))),
});
