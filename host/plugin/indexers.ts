// Contributed indexers: the documents that a plugin gives to a search backend, and the registry of all indexers.
import type Joi from 'joi';
import type { TypeOf } from '#adapters/http/descriptor/shape';
import type { EventOf, EventType } from '#core/kernel/storage/events';
import { declarePort } from '#core/kernel/ports';
import type { ScopeName } from '#core/kernel/access/scopes';

/** One document that a search can find. Callers who may read its repository can find it. */
export interface IndexDocument<S> {
  /** Unique within the section. */
  readonly id: string;
  readonly repositoryId: string;
  /** The title weighs more than the text. */
  readonly title?: string;
  readonly text: string;
  readonly updatedAt: Date;
  /** The `source` of a hit in the response. */
  readonly source: S;
}

/** A change of documents: store one, remove one, read all of a repository again, or remove all of a repository. */
export type IndexChange<S> =
  | { readonly put: IndexDocument<S> }
  | { readonly remove: string }
  | { readonly reindex: string }
  | { readonly forget: string };

/** The argument of `indexer`: which data of a plugin a search finds. */
export interface IndexerSpec<S, T extends EventType> {
  /** The section of the search, unique among the indexers of all plugins, such as `issues`. */
  readonly name: string;
  readonly description: string;
  /** The row of the scope catalogue that a token must satisfy to see the section; null if any credential will do. */
  readonly scope: ScopeName | null;
  /** If true, the section is only searched if the request names it. */
  readonly optIn?: true;
  /** The shape of every document's `source`. */
  readonly source: Joi.ObjectSchema<S>;
  /** The event types that change documents. */
  readonly follows: readonly T[];
  /** The document changes caused by an event. Called for durable events: at least once, in order per aggregate. */
  changed(event: EventOf<T>): AsyncIterable<IndexChange<S>> | Iterable<IndexChange<S>>;
  /** Streams all documents of one repository, for the first indexing and for `reindex`. */
  documents(repositoryId: string): AsyncIterable<IndexDocument<S>>;
}

/** An indexer without its type parameters. */
export type Indexer = Omit<IndexerSpec<unknown, EventType>, 'source' | 'changed' | 'documents'> & {
  readonly source: Joi.ObjectSchema;
  changed(event: EventOf): AsyncIterable<IndexChange<unknown>> | Iterable<IndexChange<unknown>>;
  documents(repositoryId: string): AsyncIterable<IndexDocument<unknown>>;
};

/**
 * Declares an indexer.
 *
 * @example
 *   indexers: ({ bells }) => [
 *     indexer({
 *       name: 'bells',
 *       description: 'Bells by their inscription',
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

/** The indexers of running plugins, in the order of the configuration. Provided by the host. */
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
