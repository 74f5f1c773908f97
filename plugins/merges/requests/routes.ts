// The routes of merge requests: list, open, fetch, update, commits and prepare-url.
import { api, camelCased, pageRules, presentPage, readPage, reply, type Instance, type Route } from 'hexforge/plugin';
import type { MergeUseCases } from '#core/merges/use-cases';
import { diffQuery } from '../files/schemas.ts';
import { mergeParams, mergesPath, own, reading, requestPath, writing } from '../params.ts';
import { presentCommit, presentItem, presentMerge } from './present.ts';
import {
  commitQuery,
  mergeBody,
  mergeChangeBody,
  mergeCommitsJson,
  mergeJson,
  mergeListQuery,
  mergePageJson,
  preparedJson,
  prepareBody,
} from './schemas.ts';

/**
 * The page of commits, which are returned as a plain JSON array: `per_page` is 1 to 250, default 250, as in
 * `commitCompare`.
 */
const commitPages = pageRules.orDefault(250, 250);

const names = { source_branch: 'source', draft: 'isDraft' } as const;

/** Converts a body to a command. `body` is an alias of `description`, which takes precedence. */
const command = <B extends { readonly body?: string; readonly description?: string }>({
  body,
  description = body,
  ...rest
}: B) => ({ ...camelCased(rest, names), description });

/** The path of the web pages: empty, unless their URL has one. */
const webPath = ({ webUrl }: Pick<Instance, 'webUrl'>): string => new URL(webUrl).pathname.replace(/\/$/, '');

export const requestRoutes = (merges: MergeUseCases, instance: Pick<Instance, 'webUrl'>): readonly Route[] => [
  api({
    ...reading,
    id: 'mergeList',
    summary: 'List merge requests',
    method: 'GET',
    path: mergesPath,
    query: mergeListQuery,
    result: mergePageJson,
    run: async (_call, { granted, query: { state = 'open', ...query } }) =>
      presentPage(
        await merges.list(granted, {
          page: readPage(pageRules.clamped(), query),
          ...(state !== 'all' && { state }),
        }),
        presentItem,
      ),
  }),
  api({
    ...own,
    id: 'mergeOpen',
    summary: 'Open a merge request',
    method: 'POST',
    path: mergesPath,
    body: mergeBody,
    success: 201,
    result: mergeJson,
    statuses: [409, 422],
    run: async (_call, { granted, body }) => presentMerge(await merges.open(granted, command(body))),
  }),
  api({
    ...reading,
    id: 'mergeFetch',
    summary: 'Fetch a merge request',
    method: 'GET',
    path: requestPath,
    params: mergeParams,
    query: diffQuery,
    result: mergeJson,
    run: async (_call, { granted, params: { number }, query: { algorithm } }) =>
      presentMerge(await merges.fetch(granted, { number, algorithm })),
  }),
  api({
    ...own,
    id: 'mergeUpdate',
    summary: 'Change, close or reopen a merge request',
    method: 'PATCH',
    path: requestPath,
    params: mergeParams,
    body: mergeChangeBody,
    result: mergeJson,
    statuses: [409, 422],
    run: async (_call, { granted, params, body }) =>
      presentMerge(await merges.update(granted, { ...command(body), number: params.number })),
  }),
  api({
    ...reading,
    id: 'mergeCommits',
    summary: 'List the commits of a merge request',
    method: 'GET',
    path: `${requestPath}/commits`,
    params: mergeParams,
    query: commitQuery,
    result: mergeCommitsJson,
    statuses: [409],
    async run(_call, { granted, params: { number }, query }) {
      const { items, truncated } = await merges.commits(granted, { number, page: readPage(commitPages, query) });
      return reply(items.map(presentCommit), truncated ? { headers: { 'x-truncated': 'true' } } : {});
    },
  }),
  api({
    id: 'mergePrepareUrl',
    summary: 'The address of the form that opens a merge request, filled in',
    method: 'POST',
    path: `${mergesPath}/prepare-url`,
    ...writing,
    body: prepareBody,
    result: preparedJson,
    statuses: [422],
    run: async (_call, { granted, body }) => ({
      url: webPath(instance) + (await merges.prepareUrl(granted, camelCased(body, names))),
      expires_at: null,
    }),
  }),
];
