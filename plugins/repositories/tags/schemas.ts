// The JSON shapes of tags.
import { flag, maybe, orNull, pageOf, pageQuery, shape, text, time, word, type TypeOf } from 'hexforge/plugin';
import { inRepository, sha } from '../shapes.ts';

export const tagParams = shape({ ...inRepository, tag: word().description('A slash in it is written %2F') });

export const tagQuery = shape(pageQuery);

export const tagBody = shape({
  name: word(),
  ref: maybe(word().description('Branch, tag or commit; the default branch where it is absent')),
  message: maybe(text().max(65_536).description('Makes an annotated tag; empty or absent: a lightweight one')),
}).id('TagCreate');

export const createdTagJson = shape({ name: word(), ref: word() }).id('TagCreated');

export const tagJson = shape({
  name: text(),
  commit_sha: sha(),
  message: orNull(text()).description('Whole, without a signature; null for a lightweight tag'),
  tagger_name: orNull(text()),
  tagger_email: orNull(text()),
  tagged_at: orNull(time()),
  is_annotated: flag(),
}).id('Tag');
export type TagJson = TypeOf<typeof tagJson>;

export const tagPageJson = pageOf(tagJson).id('TagPage');
