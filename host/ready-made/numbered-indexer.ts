// The indexer of numbered things with a title and a description, such as issues and merge requests.
import { count, oneOf, shape, text, time, word, type TypeOf } from '#adapters/http/descriptor/shape';
import { beginning } from '#core/kernel/clipping';
import type { EventPayloads, EventType } from '#core/kernel/storage/events';
import type { Indexed, IndexedThings, Numbered } from '#core/repositories/index';
import { indexer, type IndexDocument, type Indexer, type IndexerSpec } from '#host/plugin/indexers';

/** The members of such a thing that are searched or shown in a hit. */
export interface Titled extends Numbered {
  readonly title: string;
  readonly description: string;
  readonly state: string;
  readonly updatedAt: Date;
}

/** The payload of an event about such a thing, with its id in the member `M`. */
type Fact<M extends string> = { readonly repository_id: string; readonly number: number } & {
  readonly [member in M]: string;
};
type TellingOf<M extends string> = { [T in EventType]: EventPayloads[T] extends Fact<M> ? T : never }[EventType];

/** The argument of `numberedIndexer`. */
export interface NumberedIndexerSpec<M extends string> extends Pick<
  IndexerSpec<unknown, EventType>,
  'name' | 'description' | 'scope'
> {
  /** The name of a hit's `source` schema in the OpenAPI document. */
  readonly hit: string;
  readonly states: readonly string[];
  /** The member of an event's payload that contains the id, such as `issue_id`. */
  readonly idMember: M;
  /** Event types of the thing itself. Events of the repository are followed in addition. */
  readonly follows: readonly TellingOf<M>[];
  readonly indexed: IndexedThings<Titled>;
}

/** The most characters of a snippet. */
const shown = 200;

const sourceOf = (states: readonly string[]) =>
  shape({
    repo_owner: word(),
    repo_name: word(),
    number: count(),
    title: text(),
    state: oneOf(...states),
    updated_at: time(),
    snippet: text(),
  });

const documentOf = ({ thing, repository }: Indexed<Titled>): IndexDocument<TypeOf<ReturnType<typeof sourceOf>>> => ({
  id: thing.id,
  repositoryId: repository.id,
  title: thing.title,
  text: thing.description,
  updatedAt: thing.updatedAt,
  source: {
    repo_owner: repository.owner,
    repo_name: repository.name,
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
 *       idMember: 'issue_id',
 *       follows: ['issue.created', 'issue.updated', 'issue.deleted'],
 *       indexed,
 *     }),
 *   ],
 */
export const numberedIndexer = <const M extends string>({
  hit,
  states,
  idMember,
  follows,
  indexed,
  ...spec
}: NumberedIndexerSpec<M>): Indexer =>
  indexer({
    ...spec,
    source: sourceOf(states).id(hit),
    follows: [...(follows as readonly EventType[]), 'repository.renamed', 'repository.deleted'],
    async *changed({ type, payload }) {
      // Events of the repository only have its id.
      const { repository_id: repositoryId, number, [idMember]: id } = payload as unknown as Fact<M>;
      if (type === 'repository.renamed') yield { reindex: repositoryId };
      else if (type === 'repository.deleted') yield { forget: repositoryId };
      else {
        // Reads the current state instead of using the event, which may be late or repeated.
        const now = await indexed.one(repositoryId, number);
        yield now === undefined ? { remove: id } : { put: documentOf(now) };
      }
    },
    async *documents(repositoryId) {
      for await (const one of indexed.all(repositoryId)) yield documentOf(one);
    },
  });
