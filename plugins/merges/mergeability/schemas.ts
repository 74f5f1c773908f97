// The JSON shapes of the mergeability of a merge request.
import { list, oneOf, shape, text, word } from 'hexforge/plugin';
import { mergeabilityStates, mergeRuleCodes } from 'hexforge/merges';
import { strategy } from '../merging/schemas.ts';

export const mergeabilityQuery = shape({ strategy: strategy() });

export const mergeabilityJson = shape({
  state: oneOf(...mergeabilityStates).description('checking: git has no answer yet; ask again'),
  conflicts: list(word()).description('Paths'),
  rules: list(
    shape({ code: oneOf(...mergeRuleCodes), detail: text().description('What would lift it') }).id('MergeRule'),
  ).description('Every rule that is in the way'),
}).id('Mergeability');
