// The JSON shapes of tags.
import { flag, maybe, orNull, pageOf, pageQuery, shape, text, time, word, type TypeOf } from 'hexforge/plugin';
import type { Tag } from 'hexforge/repositories';
import { inRepository, sha } from '../shapes.ts';

export const tagParams = shape({ ...inRepository, tag: word().description('A slash in it is written %2F') });

export const tagQuery = shape(pageQuery);

export const tagBody = shape({
  name: word(),
  ref: maybe(word().description('Branch, tag or commit; the default branch where it is absent')),
  message: maybe(text().max(65_536).description('Makes an annotated tag; empty or absent: a lightweight one')),
}).id('TagCreate');

export const createdTagJson = shape({ name: word(), ref: word() }).id('TagCreated');

const tagJson = shape({
  name: text(),
  commit_sha: sha(),
  message: orNull(text()).description('Whole, without a signature; null for a lightweight tag'),
  tagger_name: orNull(text()),
  tagger_email: orNull(text()),
  tagged_at: orNull(time()),
  is_annotated: flag(),
}).id('Tag');
export const tagPageJson = pageOf(tagJson).id('TagPage');

export const presentTag = ({ name, oid, annotation }: Tag): TypeOf<typeof tagJson> => ({
  name,
  commit_sha: oid,
  message: annotation?.message ?? null,
  tagger_name: annotation?.tagger?.name ?? null,
  tagger_email: annotation?.tagger?.email ?? null,
  tagged_at: annotation?.tagger?.date.toISOString() ?? null,
  is_annotated: annotation !== undefined,
});
