// What a search of the whole site finds of issues (document D, "Search"): title and description.
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
import { issueStates } from 'hexforge/issues';
import type { IndexedIssue, IssueUseCases } from '#core/issues/use-cases';

const source = shape({
  repo_owner: word(),
  repo_name: word(),
  number: count(),
  title: text(),
  state: oneOf(...issueStates),
  updated_at: time(),
  snippet: text(),
}).id('IssueHitSource');

/** Characters of a snippet. */
const shown = 200;

const documentOf = ({ issue, repository }: IndexedIssue): IndexDocument<TypeOf<typeof source>> => ({
  id: issue.id,
  repositoryId: repository.id,
  title: issue.title,
  text: issue.description,
  updatedAt: issue.updatedAt,
  source: {
    repo_owner: repository.owner,
    repo_name: repository.name,
    number: issue.number,
    title: issue.title,
    state: issue.state,
    updated_at: issue.updatedAt.toISOString(),
    snippet: beginning(issue.description, shown),
  },
});

export const issueIndexer = ({ indexed }: Pick<IssueUseCases, 'indexed'>): Indexer =>
  indexer({
    name: 'issues',
    description: 'Issues by title and description',
    scope: 'issue.read',
    source,
    follows: [
      'issue.created',
      'issue.updated',
      'issue.closed',
      'issue.reopened',
      'issue.deleted',
      'repository.renamed',
      'repository.deleted',
    ],
    async *changed({ type, payload }) {
      if (type === 'repository.renamed') yield { reindex: payload.repository_id };
      else if (type === 'repository.deleted') yield { forget: payload.repository_id };
      else if ('issue_id' in payload) {
        // What there is now, whatever the event tells of: it may come late, or twice.
        const now = await indexed.one(payload.repository_id, payload.number);
        yield now === undefined ? { remove: payload.issue_id } : { put: documentOf(now) };
      }
    },
    async *documents(repositoryId) {
      for await (const one of indexed.all(repositoryId)) yield documentOf(one);
    },
  });
