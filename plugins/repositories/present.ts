// From the domain to JSON: the record, list items, folder entries and files of document B.
import type { Instance } from 'hexforge/plugin';
import type { DirectoryEntry, FileBlob, Repository, RepositoryRecord } from '#core/repositories/index';
import type { BlobJson, EntryJson, RepositoryItem, RepositoryJson } from './schemas.ts';

export interface Presenter {
  readonly item: (repository: Repository) => RepositoryItem;
  readonly record: (record: RepositoryRecord) => RepositoryJson;
  readonly entry: (entry: DirectoryEntry) => EntryJson;
  readonly blob: (blob: FileBlob) => BlobJson;
}

/** @param sshUrl what clone URLs over SSH begin with, such as `ssh://git@example.org`; '' where there is no SSH. */
export function presenter(instance: Pick<Instance, 'baseUrl'>, sshUrl: string): Presenter {
  const cloneUrl = (base: string, { owner, name }: Repository): string =>
    base === '' ? '' : `${base.replace(/\/+$/, '')}/${owner}/${name}.git`;
  const item = (repository: Repository): RepositoryItem => ({
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
    entry: ({ name, path, type, size, mode, lastCommit }) => ({
      name,
      path,
      type: type === 'directory' ? 'dir' : type,
      size,
      mode,
      last_commit_message: lastCommit?.subject ?? null,
      last_commit_date: lastCommit?.committedAt.toISOString() ?? null,
    }),
    blob: ({ path, content, isBinary, lang, size, sha }) => ({
      path,
      encoding: content === undefined ? 'none' : 'base64',
      content:
        content === undefined
          ? ''
          : Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64'),
      is_binary: isBinary,
      lang,
      size,
      sha,
    }),
  };
}
