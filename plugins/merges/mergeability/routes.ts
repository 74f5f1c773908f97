// The route that returns why a merge request cannot be merged.
import { api, list, oneOf, shape, text, word, type Route } from 'hexforge/plugin';
import { mergeabilityStates, mergeRuleCodes } from 'hexforge/merges';
import type { MergeUseCases } from '#core/merges/use-cases';
import { strategy } from '../merging/schemas.ts';
import { mergeParams, reading, requestPath } from '../params.ts';

const mergeabilityJson = shape({
  state: oneOf(...mergeabilityStates).description('checking: git has no answer yet; ask again'),
  conflicts: list(word()).description('Paths'),
  rules: list(
    shape({ code: oneOf(...mergeRuleCodes), detail: text().description('What would lift it') }).id('MergeRule'),
  ).description('Every rule that is in the way'),
}).id('Mergeability');

export const mergeabilityRoutes = (merges: MergeUseCases): readonly Route[] => [
  api({
    ...reading,
    id: 'mergeMergeability',
    summary: 'Tell whether it can be merged, and what is in the way',
    method: 'GET',
    path: `${requestPath}/mergeability`,
    params: mergeParams,
    query: shape({ strategy: strategy() }),
    result: mergeabilityJson,
    async run(_call, { granted, params: { number }, query: { strategy = 'merge' } }) {
      const { isChecked: _, ...answer } = await merges.mergeability(granted, { number, strategy });
      return answer;
    },
  }),
];
