// The indexer of numbered things with a title and a description, such as issues and merge requests.
import { count, oneOf, shape, text, time, type TypeOf } from '#adapters/http/descriptor/shape';
import { beginning } from '#core/kernel/clipping';
import type { EventPayloads, EventType } from '#core/kernel/storage/events';
import type { IndexedThings, Numbered } from '#core/repositories/index';
import { indexer, type IndexDocument, type Indexer, type IndexerSpec } from '#host/plugin/indexers';

/** The members of such a thing that are searched or shown in a hit. */
export interface Titled extends Numbered {
  readonly title: string;
  readonly description: string;
  readonly state: string;
  readonly updatedAt: Date;
}

/** The payload of an event about such a thing. */
interface Fact {
  readonly repository_id: string;
  readonly number: number;
}
type Telling = { [T in EventType]: EventPayloads[T] extends Fact ? T : never }[EventType];

/** The argument of `numberedIndexer`. */
export interface NumberedIndexerSpec extends Pick<
  IndexerSpec<unknown, EventType>,
  'name' | 'description' | 'scope' | 'permission'
> {
  /** The name of a hit's `source` schema in the OpenAPI document. */
  readonly hit: string;
  readonly states: readonly string[];
  /** Event types of the thing itself. */
  readonly follows: readonly Telling[];
  readonly indexed: IndexedThings<Titled>;
}

/** The most characters of a snippet. */
const shown = 200;

const sourceOf = (states: readonly string[]) =>
  shape({
    number: count(),
    title: text(),
    state: oneOf(...states),
    updated_at: time(),
    snippet: text(),
  });

const documentOf = (thing: Titled): IndexDocument<TypeOf<ReturnType<typeof sourceOf>>> => ({
  key: String(thing.number),
  title: thing.title,
  text: thing.description,
  updatedAt: thing.updatedAt,
  source: {
    number: thing.number,
    title: thing.title,
    state: thing.state,
    updated_at: thing.updatedAt.toISOString(),
    snippet: beginning(thing.description, shown),
  },
});

/**
 * Declares an indexer by title and description. A hit shows repository, number, title, state, time of change and the
 * start of the description.
 *
 * @example
 *   indexers: () => [
 *     numberedIndexer({
 *       name: 'issues',
 *       description: 'Issues by title and description',
 *       scope: 'issue.read',
 *       hit: 'IssueHitSource',
 *       states: ['open', 'closed'],
 *       follows: ['issue.created', 'issue.updated', 'issue.deleted'],
 *       indexed,
 *     }),
 *   ],
 */
export const numberedIndexer = ({ hit, states, follows, indexed, ...spec }: NumberedIndexerSpec): Indexer =>
  indexer({
    ...spec,
    source: sourceOf(states).id(hit),
    follows: follows as readonly EventType[],
    touched({ payload }) {
      const { repository_id: repositoryId, number } = payload as unknown as Fact;
      return [{ repositoryId, key: String(number) }];
    },
    async document(repositoryId, key) {
      const number = Number(key);
      const thing = Number.isSafeInteger(number) ? await indexed.one(repositoryId, number) : undefined;
      return thing && documentOf(thing);
    },
    async *documents(repositoryId) {
      for await (const thing of indexed.all(repositoryId)) yield documentOf(thing);
    },
  });
