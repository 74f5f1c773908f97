// Shapes of branches, tags and protection over HTTP (document B, "Branch item" and "Tag item"; document D,
// "Repositories").
import { Joi, object } from 'hexforge/plugin';
import { branchSorts } from '#core/repositories/index';
import type { RepositoryPath } from '../schemas.ts';
import { count, flag, path, sha, text, time } from './parts.ts';

export const branchPath = object<RepositoryPath & { readonly branch: string }>({
  ...path,
  branch: Joi.string().required().description('A slash in it is written %2F'),
});
export const tagPath = object<RepositoryPath & { readonly tag: string }>({
  ...path,
  tag: Joi.string().required().description('A slash in it is written %2F'),
});

interface PageQuery {
  readonly page?: string;
  readonly per_page?: string;
}
const page = {
  page: Joi.string().allow('').description('1-based; default 1'),
  per_page: Joi.string().allow('').description('At most 100; default 25'),
};
export const tagQuery = object<PageQuery>(page);

export interface BranchListQuery extends PageQuery {
  readonly include_divergence: boolean;
  readonly sort?: (typeof branchSorts)[number];
  readonly order?: 'asc' | 'desc';
}
export const branchQuery = object<BranchListQuery>({
  ...page,
  include_divergence: Joi.boolean()
    .empty('')
    .default(false)
    .description('Counts the commits each branch has beside the default branch, and lacks of it; otherwise both are 0'),
  sort: Joi.string()
    .valid(...branchSorts)
    .empty('')
    .description('Default: name'),
  order: Joi.string().valid('asc', 'desc').empty('').description('Default: asc; honoured beside sort alone'),
});

export interface CreateBranchBody {
  readonly name: string;
  readonly base_ref?: string;
}
export const createBranchBody = object<CreateBranchBody>({
  name: Joi.string().required(),
  base_ref: Joi.string().description('Branch, tag or commit; the default branch where it is absent'),
}).id('BranchCreate');
export const createdBranch = object<Required<CreateBranchBody>>({
  name: Joi.string().required(),
  base_ref: Joi.string().required(),
}).id('BranchCreated');

export interface CreateTagBody {
  readonly name: string;
  readonly ref?: string;
  readonly message?: string;
}
export const createTagBody = object<CreateTagBody>({
  name: Joi.string().required(),
  ref: Joi.string().description('Branch, tag or commit; the default branch where it is absent'),
  message: Joi.string().allow('').max(65_536).description('Makes an annotated tag; empty or absent: a lightweight one'),
}).id('TagCreate');
export interface CreatedTag {
  readonly name: string;
  readonly ref: string;
}
export const createdTag = object<CreatedTag>({ name: Joi.string().required(), ref: Joi.string().required() }).id(
  'TagCreated',
);

export interface PageJson<T> {
  readonly items: T[];
  readonly total: number;
  readonly page: number;
  readonly per_page: number;
}
const envelope = { total: count(), page: count(), per_page: count() };

export interface BranchJson {
  readonly name: string;
  readonly commit_sha: string;
  readonly commit_message: string;
  readonly commit_author: string;
  readonly commit_date: string;
  readonly is_default: boolean;
  readonly is_protected: boolean;
  readonly ahead_count: number;
  readonly behind_count: number;
}
const branchJson = object<BranchJson>({
  name: text(),
  commit_sha: sha(),
  commit_message: text().description('Its first line'),
  commit_author: text(),
  commit_date: time().description('When it was committed'),
  is_default: flag(),
  is_protected: flag(),
  ahead_count: count(),
  behind_count: count(),
}).id('Branch');
export const branchPage = object<PageJson<BranchJson>>({
  items: Joi.array().items(branchJson).required(),
  ...envelope,
}).id('BranchPage');

export interface TagJson {
  readonly name: string;
  readonly commit_sha: string;
  readonly message: string | null;
  readonly tagger_name: string | null;
  readonly tagger_email: string | null;
  readonly tagged_at: string | null;
  readonly is_annotated: boolean;
}
const tagJson = object<TagJson>({
  name: text(),
  commit_sha: sha(),
  message: text().allow(null).description('Whole, without a signature; null for a lightweight tag'),
  tagger_name: text().allow(null),
  tagger_email: text().allow(null),
  tagged_at: time().allow(null),
  is_annotated: flag(),
}).id('Tag');
export const tagPage = object<PageJson<TagJson>>({ items: Joi.array().items(tagJson).required(), ...envelope }).id(
  'TagPage',
);

export interface ProtectionJson {
  readonly allow_force_push: boolean;
  readonly allow_deletion: boolean;
  readonly push_roles: string[];
  readonly required_approvals: number;
  readonly required_pipeline: { readonly on_open: boolean; readonly on_merge: boolean };
}
export const protectionJson = object<ProtectionJson>({
  allow_force_push: flag(),
  allow_deletion: flag(),
  push_roles: Joi.array().items(Joi.string()).required(),
  required_approvals: count(),
  required_pipeline: object<ProtectionJson['required_pipeline']>({ on_open: flag(), on_merge: flag() }).required(),
}).id('BranchProtection');

export interface ProtectionBody {
  readonly allow_force_push?: boolean;
  readonly allow_deletion?: boolean;
  readonly push_roles?: string[];
  readonly required_approvals?: number;
  readonly required_pipeline?: { readonly on_open?: boolean; readonly on_merge?: boolean };
}
export const protectionBody = object<ProtectionBody>({
  allow_force_push: Joi.boolean().strict().description('Default false'),
  allow_deletion: Joi.boolean().strict().description('By a push; default false'),
  push_roles: Joi.array()
    .items(
      Joi.string()
        .max(100)
        .pattern(/^[^\p{Cc}]+$/u, 'no control characters'),
    )
    .max(50)
    .description('Roles that may push directly; empty: nobody. Default write, maintain, admin'),
  required_approvals: Joi.number().strict().integer().min(0).max(100).description('Default 0'),
  required_pipeline: object<Required<ProtectionBody>['required_pipeline']>({
    on_open: Joi.boolean().strict(),
    on_merge: Joi.boolean().strict(),
  }).description('Default false and false'),
}).id('BranchProtectionSet');
