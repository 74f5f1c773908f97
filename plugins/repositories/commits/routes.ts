// The routes of the history: list commits, fetch a commit, and compare two refs.
import { api, moment, pageRules, readPage, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { derived, marked } from '../conditional.ts';
import { reading } from '../shapes.ts';
import { presentCommit, presentCommitDetail, presentComparison } from './present.ts';
import {
  commitDetailJson,
  commitListJson,
  commitParams,
  commitQuery,
  comparisonJson,
  comparisonParams,
} from './schemas.ts';

const read = {
  method: 'GET',
  ...reading,
  statuses: [304],
  sameForAll: true,
} as const;

export const commitRoutes = (useCases: RepositoryUseCases): readonly Route[] => [
  api({
    ...read,
    id: 'commitList',
    summary: 'List commits',
    path: '/repos/{owner}/{repo}/commits',
    query: commitQuery,
    result: commitListJson,
    async run(_call, { granted, query: { since, until, page, per_page, ...filters } }) {
      const commits = await useCases.commits(granted, {
        ...filters,
        since: moment('since', since, '00:00:00Z'),
        until: moment('until', until, '23:59:59Z'),
        ...readPage(pageRules.capped(), { page, per_page }),
      });
      return derived(commits, (found) => marked(found.items.map(presentCommit), found));
    },
  }),
  api({
    ...read,
    id: 'commitFetch',
    summary: 'Fetch a commit with what it changed',
    path: '/repos/{owner}/{repo}/commits/{ref*}',
    params: commitParams,
    result: commitDetailJson,
    run: async (_call, { granted, params }) =>
      derived(await useCases.commit(granted, { revision: params.ref }), (found) =>
        marked(presentCommitDetail(found), found.difference),
      ),
  }),
  api({
    ...read,
    id: 'commitCompare',
    summary: 'Compare two refs',
    path: '/repos/{owner}/{repo}/compare/{rest*}',
    params: comparisonParams,
    result: comparisonJson,
    run: async (_call, { granted, params }) =>
      derived(await useCases.compare(granted, { range: params.rest }), (found) =>
        marked(presentComparison(found), { truncated: found.commits.truncated || found.difference.truncated }),
      ),
  }),
];
