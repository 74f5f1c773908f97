// Shapes of what comes in and goes out over HTTP (document B, "Resources and their fields").
import { Joi, object } from 'hexforge/plugin';
import type { Visibility } from '#core/repositories/index';
import { visibilities } from '#core/repositories/index';
import { count, flag, path, text, time, uuid } from './schemas/parts.ts';

export interface RepositoryPath {
  readonly owner: string;
  readonly repo: string;
}
export interface FilePath extends RepositoryPath {
  readonly path: string;
}

export const repositoryPath = object<RepositoryPath>(path);
export const contentsPath = object<FilePath>({
  ...path,
  path: Joi.string().allow('').default('').description('Of a file or folder; the root where it is absent'),
});
export const rawPath = object<FilePath & { readonly ref: string }>({
  ...path,
  ref: Joi.string().required().description('Branch, tag or commit; may hold slashes'),
  // Where there is none: `.` names nothing in git, so it is 404 as for every folder.
  path: Joi.string().required().failover('.'),
});

export interface ListQuery {
  readonly mine: boolean;
  readonly owner?: string;
}
export const listQuery = object<ListQuery>({
  mine: Joi.boolean().empty('').default(false).description("Only the caller's own; at most 100"),
  owner: Joi.string().empty('').description("One owner's; at most 50"),
});

export interface ContentsQuery {
  readonly ref?: string;
}
export const contentsQuery = object<ContentsQuery>({
  ref: Joi.string().empty('').description('Branch, tag or commit; the default branch where it is absent or empty'),
});

interface Written {
  readonly description?: string;
  readonly visibility?: Visibility;
  readonly is_private?: boolean;
  readonly default_branch?: string;
}
const written = {
  description: Joi.string().allow('').max(1000),
  visibility: Joi.string().valid(...visibilities),
  is_private: Joi.boolean()
    .strict()
    .description('Deprecated: true is private, false public; ignored beside visibility'),
  default_branch: Joi.string().max(255),
};

export interface CreateBody extends Written {
  readonly name: string;
  readonly owner?: string;
}
export const createBody = object<CreateBody>({
  ...written,
  name: Joi.string().required(),
  owner: Joi.string().description('Another owner: instance administrators only'),
}).id('RepositoryCreate');

export interface UpdateBody extends Written {
  readonly name?: string;
  readonly issue_code?: string;
}
export const updateBody = object<UpdateBody>({
  ...written,
  name: Joi.string(),
  issue_code: Joi.string()
    .allow('')
    .description('2 to 10 uppercase alphanumerics beginning with a letter; empty clears it'),
}).id('RepositoryUpdate');

/** Document B, "Errors": what a rename collision adds to the envelope. */
export const nameInUse = object<{ readonly existing_repo_id?: string }>({ existing_repo_id: Joi.string().guid() });

export interface DeleteBody {
  readonly confirmation: string;
}
export const deleteBody = object<DeleteBody>({
  confirmation: Joi.string().required().description('owner/name, to the letter'),
}).id('RepositoryDelete');

export interface RepositoryItem {
  readonly id: string;
  readonly owner: string;
  readonly owner_id: string;
  readonly name: string;
  readonly description: string;
  readonly is_private: boolean;
  readonly visibility: Visibility;
  readonly default_branch: string;
  readonly clone_url_http: string;
  readonly clone_url_ssh: string;
  readonly created_at: string;
  readonly updated_at: string;
}

const item = {
  id: uuid(),
  owner: text(),
  owner_id: uuid(),
  name: text(),
  description: text(),
  is_private: flag(),
  visibility: Joi.string()
    .valid(...visibilities)
    .required(),
  default_branch: text(),
  clone_url_http: Joi.string().uri().required(),
  clone_url_ssh: text().description('Empty where the instance serves no SSH'),
  created_at: time(),
  updated_at: time(),
};
export const repositoryItem = object<RepositoryItem>(item).id('RepositoryItem');
export const repositoryList = Joi.array<RepositoryItem[]>().items(repositoryItem);

export interface RepositoryJson extends RepositoryItem {
  readonly issue_code: string;
  readonly stars_count: number;
  readonly forks_count: number;
  readonly watchers_count: number;
  readonly open_issues_count: number;
  readonly open_prs_count: number;
  readonly starred: boolean;
  readonly watching: boolean;
}
export const repositoryJson = object<RepositoryJson>({
  ...item,
  issue_code: text(),
  stars_count: count(),
  forks_count: count(),
  watchers_count: count(),
  open_issues_count: count(),
  open_prs_count: count(),
  starred: flag(),
  watching: flag(),
}).id('Repository');

export interface EntryJson {
  readonly name: string;
  readonly path: string;
  readonly type: 'file' | 'dir' | 'symlink' | 'submodule';
  readonly size: number;
  readonly mode: string;
  readonly last_commit_message: string | null;
  readonly last_commit_date: string | null;
}
const entryJson = object<EntryJson>({
  name: text(),
  path: text(),
  type: Joi.string().valid('file', 'dir', 'symlink', 'submodule').required(),
  size: count(),
  mode: text(),
  last_commit_message: text().allow(null),
  last_commit_date: time().allow(null),
}).id('DirectoryEntry');

export interface BlobJson {
  readonly path: string;
  readonly encoding: 'base64' | 'none';
  readonly content: string;
  readonly is_binary: boolean;
  readonly lang: string;
  readonly size: number;
  readonly sha: string;
}
const blobJson = object<BlobJson>({
  path: text(),
  encoding: Joi.string()
    .valid('base64', 'none')
    .required()
    .description('none over 1 MiB and for a submodule: the content is empty'),
  content: text(),
  is_binary: flag(),
  lang: text(),
  size: count(),
  sha: Joi.string().hex().length(40).required(),
}).id('FileBlob');

export const contentsJson = Joi.alternatives<EntryJson[] | BlobJson>().try(Joi.array().items(entryJson), blobJson);
