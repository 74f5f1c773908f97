// From the domain to JSON: branches, tags and protection.
import type { Page } from 'hexforge/plugin';
import type { Branch, Protection, Tag } from '#core/repositories/index';
import type { BranchJson, PageJson, ProtectionBody, ProtectionJson, TagJson } from './schemas/refs.ts';

export const pageJson = <T, J>({ items, total, page, perPage }: Page<T>, present: (item: T) => J): PageJson<J> => ({
  items: items.map(present),
  total,
  page,
  per_page: perPage,
});

export const branchJson = ({
  name,
  oid,
  subject,
  author,
  committedAt,
  isDefault,
  isProtected,
  divergence,
}: Branch): BranchJson => ({
  name,
  commit_sha: oid,
  commit_message: subject,
  commit_author: author,
  commit_date: committedAt.toISOString(),
  is_default: isDefault,
  is_protected: isProtected,
  ahead_count: divergence.ahead,
  behind_count: divergence.behind,
});

export const tagJson = ({ name, oid, annotation }: Tag): TagJson => ({
  name,
  commit_sha: oid,
  message: annotation?.message ?? null,
  tagger_name: annotation?.tagger?.name ?? null,
  tagger_email: annotation?.tagger?.email ?? null,
  tagged_at: annotation?.tagger?.date.toISOString() ?? null,
  is_annotated: annotation !== undefined,
});

export const protectionJson = ({
  allowForcePush,
  allowDeletion,
  pushRoles,
  requiredApprovals,
  requiredPipeline,
}: Protection): ProtectionJson => ({
  allow_force_push: allowForcePush,
  allow_deletion: allowDeletion,
  push_roles: [...pushRoles],
  required_approvals: requiredApprovals,
  required_pipeline: { on_open: requiredPipeline.onOpen, on_merge: requiredPipeline.onMerge },
});

/** What a body asks for; what it leaves out is left to its default. */
export const wishedProtection = (body: ProtectionBody): Partial<Protection> => ({
  ...(body.allow_force_push !== undefined && { allowForcePush: body.allow_force_push }),
  ...(body.allow_deletion !== undefined && { allowDeletion: body.allow_deletion }),
  ...(body.push_roles !== undefined && { pushRoles: body.push_roles }),
  ...(body.required_approvals !== undefined && { requiredApprovals: body.required_approvals }),
  ...(body.required_pipeline !== undefined && {
    requiredPipeline: {
      onOpen: body.required_pipeline.on_open ?? false,
      onMerge: body.required_pipeline.on_merge ?? false,
    },
  }),
});
