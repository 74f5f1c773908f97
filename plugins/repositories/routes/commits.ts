// Routes of document D that read history: commits, one of them, comparisons, blame, languages.
import { api, pageRules, readPage, reads, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/index';
import { moment } from '../moments.ts';
import { presentBlame, presentCommit, presentCommitDetail, presentComparison } from '../present-history.ts';
import { rawPath, repositoryPath } from '../schemas.ts';
import {
  blameJson,
  commitDetailJson,
  commitList,
  commitPath,
  commitsQuery,
  comparePath,
  comparisonJson,
  languagesJson,
} from '../schemas/history.ts';
import { derived } from './derived.ts';

const common = { access: reads('repository', 'repo.read'), scope: 'repo.read', meter: 'api.read' } as const;

export const commitRoutes = (useCases: () => RepositoryUseCases): readonly Route[] => [
  api({
    ...common,
    id: 'commitList',
    summary: 'List commits',
    method: 'GET',
    path: '/repos/{owner}/{repo}/commits',
    params: repositoryPath,
    query: commitsQuery,
    result: commitList,
    statuses: [304],
    async run(_call, { granted, query }) {
      const { ref, path, author } = query;
      const commits = await useCases().commits(granted, {
        ref,
        path,
        author,
        since: moment('since', query.since, '00:00:00Z'),
        until: moment('until', query.until, '23:59:59Z'),
        ...readPage(pageRules.capped(), query),
      });
      return derived(commits, (found) => found.map(presentCommit));
    },
  }),
  api({
    ...common,
    id: 'commitFetch',
    summary: 'Fetch a commit with what it changed',
    method: 'GET',
    path: '/repos/{owner}/{repo}/commits/{ref*}',
    params: commitPath,
    result: commitDetailJson,
    statuses: [304],
    run: async (_call, { granted, params }) =>
      derived(await useCases().commit(granted, params.ref), presentCommitDetail),
  }),
  api({
    ...common,
    id: 'commitCompare',
    summary: 'Compare two refs',
    method: 'GET',
    path: '/repos/{owner}/{repo}/compare/{rest*}',
    params: comparePath,
    result: comparisonJson,
    statuses: [304],
    run: async (_call, { granted, params }) =>
      derived(await useCases().compare(granted, params.rest), presentComparison),
  }),
  api({
    ...common,
    id: 'repositoryBlame',
    summary: 'Blame',
    method: 'GET',
    path: '/repos/{owner}/{repo}/blame/{ref}/{path*}',
    params: rawPath,
    result: blameJson,
    statuses: [304, 422],
    run: async (_call, { granted, params }) =>
      derived(await useCases().blame(granted, `${params.ref}/${params.path}`), presentBlame),
  }),
  api({
    ...common,
    id: 'repositoryLanguages',
    summary: 'Bytes of each language',
    method: 'GET',
    path: '/repos/{owner}/{repo}/languages',
    params: repositoryPath,
    result: languagesJson,
    statuses: [304],
    run: async (_call, { granted }) =>
      derived(await useCases().languages(granted), (sizes) => Object.fromEntries(sizes)),
  }),
];
