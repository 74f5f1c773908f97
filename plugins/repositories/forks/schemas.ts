// The JSON shapes of forks.
import { maybe, oneOf, pageQuery, shape, text, word } from 'hexforge/plugin';
import { visibilities } from 'hexforge/repositories';

export const forkBody = shape({
  name: maybe(word().description("The parent's where it is absent")),
  description: maybe(text().max(1000)),
  visibility: maybe(oneOf(...visibilities).description("At most the parent's, which it is where it is absent")),
}).id('ForkCreate');

export const forkQuery = shape(pageQuery);
