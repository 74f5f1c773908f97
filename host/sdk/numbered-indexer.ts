// The indexer of what repositories number and people write a title and a description of, such as issues and merge
// requests (document D, "Search").
import { count, oneOf, shape, text, time, word, type TypeOf } from '#adapters/http/shape';
import { beginning } from '#core/kernel/clipping';
import type { EventPayloads, EventType } from '#core/kernel/events';
import type { Indexed, IndexedThings, Numbered } from '#core/repositories/index';
import { indexer, type IndexDocument, type Indexer, type IndexerSpec } from '#host/contributions/indexers';

/** What is searched of them, and shown of a hit. */
export interface Titled extends Numbered {
  readonly title: string;
  readonly description: string;
  readonly state: string;
  readonly updatedAt: Date;
}

/** What the payload of an event tells of one of them, with its id in the member `M`. */
type Fact<M extends string> = { readonly repository_id: string; readonly number: number } & {
  readonly [member in M]: string;
};
type TellingOf<M extends string> = { [T in EventType]: EventPayloads[T] extends Fact<M> ? T : never }[EventType];

/** What `numberedIndexer` takes beside what every indexer has. */
export interface NumberedIndexerSpec<M extends string> extends Pick<
  IndexerSpec<unknown, EventType>,
  'name' | 'description' | 'scope'
> {
  /** What the shape of a hit's source is called in the OpenAPI document. */
  readonly hit: string;
  readonly states: readonly string[];
  /** The member of an event's payload that holds the id: `issue_id`. */
  readonly idMember: M;
  /** Those of its own; what becomes of the repository is followed beside them. */
  readonly follows: readonly TellingOf<M>[];
  readonly indexed: IndexedThings<Titled>;
}

/** Characters of a snippet. */
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
 * Declares that they are found by title and description; a hit shows repository, number, title, state, when it changed
 * and how the description begins.
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
      // Those of the repository tell its id alone.
      const { repository_id: repositoryId, number, [idMember]: id } = payload as unknown as Fact<M>;
      if (type === 'repository.renamed') yield { reindex: repositoryId };
      else if (type === 'repository.deleted') yield { forget: repositoryId };
      else {
        // What there is now, whatever the event tells of: it may come late, or twice.
        const now = await indexed.one(repositoryId, number);
        yield now === undefined ? { remove: id } : { put: documentOf(now) };
      }
    },
    async *documents(repositoryId) {
      for await (const one of indexed.all(repositoryId)) yield documentOf(one);
    },
  });
