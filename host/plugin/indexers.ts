// Contributed indexers: the documents that a plugin gives to a search back end, and the registry of all indexers.
import type Joi from 'joi';
import type { TypeOf } from '#adapters/http/descriptor/shape';
import type { EventAmong, EventOf, EventType } from '#core/kernel/storage/events';
import { declarePort } from '#core/kernel/ports';
import type { PermissionOn } from '#core/kernel/access/access';
import type { ScopeName } from '#core/kernel/access/scopes';

/** One document that a search can find. Callers who may read its repository can find it. */
export interface IndexDocument<S> {
  /** Unique among the documents of the indexer in one repository; at most 500 characters. */
  readonly key: string;
  /** Weighs more than the text; at most 1,000 characters are indexed. */
  readonly title?: string;
  /** At most 64 Ki characters are indexed. */
  readonly text: string;
  readonly updatedAt: Date;
  /** The `source` of a hit in the response, which adds `repo_owner` and `repo_name`. At most 16 KiB of JSON. */
  readonly source: S;
}

/** A document that may have changed; without a key, all documents of the repository. */
export interface TouchedDocument {
  readonly repositoryId: string;
  readonly key?: string;
}

/** The argument of `indexer`: which data of a plugin a search finds. */
export interface IndexerSpec<S, T extends EventType> {
  /** The section of the search, unique among the indexers of all plugins, such as `issues`. */
  readonly name: string;
  readonly description: string;
  /** The row of the scope catalogue that a token must satisfy to see the section; null if any credential will do. */
  readonly scope: ScopeName | null;
  /** The permission that callers need on the repository of a document, such as `issue.read`. Default: to read it. */
  readonly permission?: PermissionOn<'repository'>;
  /** If true, the section is only searched if the request names it. */
  readonly optIn?: true;
  /** The shape of every document's `source`. */
  readonly source: Joi.ObjectSchema<S>;
  /** The event types that change documents. Documents of a deleted repository are removed without an event. */
  readonly follows: readonly T[];
  /** The documents that an event may have changed. They are read soon after. */
  touched(event: EventAmong<T>): readonly TouchedDocument[];
  /** The current state of a document. Undefined if it does not exist: it is removed. */
  document(repositoryId: string, key: string): Promise<IndexDocument<S> | undefined>;
  /** Streams all documents of one repository, for the first indexing and for a rebuild. */
  documents(repositoryId: string): AsyncIterable<IndexDocument<S>>;
}

/** An indexer without its type parameters. */
export type Indexer = Omit<IndexerSpec<unknown, EventType>, 'source' | 'touched'> & {
  readonly source: Joi.ObjectSchema;
  touched(event: EventOf): readonly TouchedDocument[];
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
 *       follows: ['repository.updated'],
 *       touched: ({ payload }) => [{ repositoryId: payload.repository_id }],
 *       document: async (repositoryId, key) =>
 *         (await bells.of(repositoryId, 1000)).includes(key)
 *           ? { key, text: key, updatedAt: now, source: { name: key } }
 *           : undefined,
 *       async *documents(repositoryId) {
 *         for (const name of await bells.of(repositoryId, 1000))
 *           yield { key: name, text: name, updatedAt: now, source: { name } };
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

/**
 * Receives the documents that events may have changed. The host calls it for every event that an indexer follows, at
 * least once. The subscriptions belong to the plugin that provides the port, so that events are kept while it is off.
 */
export interface IndexQueue {
  touched(section: string, documents: readonly TouchedDocument[]): Promise<void>;
}

declare module '#core/kernel/ports' {
  interface Ports {
    IndexerRegistry: IndexerRegistry;
  }
  interface OptionalPorts {
    IndexQueue: IndexQueue;
  }
}

declarePort('IndexerRegistry', {
  arity: 'single',
  component: 'registry of indexers',
  critical: false,
  absent: 'refuse',
});
declarePort('IndexQueue', {
  arity: 'optional',
  component: 'queue of the search index',
  critical: false,
  absent: 'degraded',
  methods: ['touched'],
});
