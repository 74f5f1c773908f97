// What a search of the whole site finds of merge requests (document D, "Search"): title and description.
import {
  beginning,
  count,
  indexer,
  oneOf,
  shape,
  text,
  time,
  word,
  type IndexDocument,
  type Indexer,
} from 'hexforge/plugin';
import type { TypeOf } from 'hexforge/plugin';
import { mergeStates } from 'hexforge/merges';
import type { IndexedRequest, MergeUseCases } from '#core/merges/use-cases';

const source = shape({
  repo_owner: word(),
  repo_name: word(),
  number: count(),
  title: text(),
  state: oneOf(...mergeStates),
  updated_at: time(),
  snippet: text(),
}).id('MergeHitSource');

/** Characters of a snippet. */
const shown = 200;

const documentOf = ({ request, repository }: IndexedRequest): IndexDocument<TypeOf<typeof source>> => ({
  id: request.id,
  repositoryId: repository.id,
  title: request.title,
  text: request.description,
  updatedAt: request.updatedAt,
  source: {
    repo_owner: repository.owner,
    repo_name: repository.name,
    number: request.number,
    title: request.title,
    state: request.state,
    updated_at: request.updatedAt.toISOString(),
    snippet: beginning(request.description, shown),
  },
});

export const mergeIndexer = ({ indexed }: Pick<MergeUseCases, 'indexed'>): Indexer =>
  indexer({
    name: 'mrs',
    description: 'Merge requests by title and description',
    scope: 'repo.read',
    source,
    follows: [
      'merge.opened',
      'merge.updated',
      'merge.closed',
      'merge.reopened',
      'merge.merged',
      'repository.renamed',
      'repository.deleted',
    ],
    async *changed({ type, payload }) {
      if (type === 'repository.renamed') yield { reindex: payload.repository_id };
      else if (type === 'repository.deleted') yield { forget: payload.repository_id };
      else if ('merge_request_id' in payload) {
        // What there is now, whatever the event tells of: it may come late, or twice.
        const now = await indexed.one(payload.repository_id, payload.number);
        yield now === undefined ? { remove: payload.merge_request_id } : { put: documentOf(now) };
      }
    },
    async *documents(repositoryId) {
      for await (const one of indexed.all(repositoryId)) yield documentOf(one);
    },
  });
