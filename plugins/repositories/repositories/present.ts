// Converts repositories to JSON, as records and as list items.
import { presenter, trimEnd, type Instance } from 'hexforge/plugin';
import type { Repository, RepositoryRecord } from 'hexforge/repositories';
import { repositoryItemJson, type RepositoryItemJson, type RepositoryJson } from './schemas.ts';

export interface RepositoryPresenter {
  readonly item: (repository: Repository) => RepositoryItemJson;
  readonly record: (record: RepositoryRecord) => RepositoryJson;
}

const presentItem = presenter(repositoryItemJson);

/** @param sshUrl The start of clone URLs over SSH, such as `ssh://git@example.org`; empty if there is no SSH. */
export function repositoryPresenter(instance: Pick<Instance, 'baseUrl'>, sshUrl: string): RepositoryPresenter {
  const cloneUrl = (base: string, { owner, name }: Repository): string =>
    base === '' ? '' : `${trimEnd(base, (character) => character === '/')}/${owner}/${name}.git`;
  const item = (repository: Repository): RepositoryItemJson =>
    presentItem({
      ...repository,
      isPrivate: repository.visibility === 'private',
      cloneUrlHttp: cloneUrl(instance.baseUrl, repository),
      cloneUrlSsh: cloneUrl(sshUrl, repository),
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
