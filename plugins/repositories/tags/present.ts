// Converts tags to JSON.
import type { Tag } from 'hexforge/repositories';
import type { TagJson } from './schemas.ts';

export const presentTag = ({ name, oid, annotation }: Tag): TagJson => ({
  name,
  commit_sha: oid,
  message: annotation?.message ?? null,
  tagger_name: annotation?.tagger?.name ?? null,
  tagger_email: annotation?.tagger?.email ?? null,
  tagged_at: annotation?.tagger?.date.toISOString() ?? null,
  is_annotated: annotation !== undefined,
});
