// Converts repositories to JSON, as records and as list items.
import { trimEnd, type Instance } from 'hexforge/plugin';
import type { Repository, RepositoryRecord } from 'hexforge/repositories';
import type { RepositoryItemJson, RepositoryJson } from './schemas.ts';

export interface RepositoryPresenter {
  readonly item: (repository: Repository) => RepositoryItemJson;
  readonly record: (record: RepositoryRecord) => RepositoryJson;
}

/** @param sshUrl The start of clone URLs over SSH, such as `ssh://git@example.org`; empty if there is no SSH. */
export function repositoryPresenter(instance: Pick<Instance, 'baseUrl'>, sshUrl: string): RepositoryPresenter {
  const cloneUrl = (base: string, { owner, name }: Repository): string =>
    base === '' ? '' : `${trimEnd(base, (character) => character === '/')}/${owner}/${name}.git`;
  const item = (repository: Repository): RepositoryItemJson => ({
    id: repository.id,
    owner: repository.owner,
    owner_id: repository.ownerId,
    name: repository.name,
    description: repository.description,
    is_private: repository.visibility === 'private',
    visibility: repository.visibility,
    default_branch: repository.defaultBranch,
    clone_url_http: cloneUrl(instance.baseUrl, repository),
    clone_url_ssh: cloneUrl(sshUrl, repository),
    created_at: repository.createdAt.toISOString(),
    updated_at: repository.updatedAt.toISOString(),
  });
  return {
    item,
    record: ({ repository, counts }) => ({
      ...item(repository),
      issue_code: repository.issueCode,
      stars_count: counts.stars,
      forks_count: counts.forks,
      watchers_count: counts.watchers,
      open_issues_count: counts.openIssues,
      open_prs_count: counts.openMergeRequests,
      starred: counts.starred,
      watching: counts.watching,
    }),
  };
}
