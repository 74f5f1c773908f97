// Routes of document D that read history: commits, one of them, comparisons, blame, languages.
import { api, pageRules, readPage, reads, ValidationFailed, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/index';
import { presentBlame, presentCommit, presentCommitDetail, presentComparison } from '../present-history.ts';
import { rawPath, repositoryPath } from '../schemas.ts';
import { blameJson, commitDetailJson, commitList, commitPath, commitsQuery, comparePath, comparisonJson, languagesJson } from '../schemas/history.ts';

const common = { access: reads('repository', 'repo.read'), scope: 'repo.read', meter: 'api.read' } as const;

export const commitRoutes = (useCases: () => RepositoryUseCases): readonly Route[] => [
  api({
    ...common, id: 'commitList', summary: 'List commits', method: 'GET', path: '/repos/{owner}/{repo}/commits',
    params: repositoryPath, query: commitsQuery, result: commitList,
    async run(_call, { granted, query }) {
      const { ref, path, author } = query;
      const commits = await useCases().commits(granted, {
        ref, path, author, since: moment('since', query.since, '00:00:00Z'), until: moment('until', query.until, '23:59:59Z'), ...readPage(pageRules.clamped(), query),
      });
      return commits.map(presentCommit);
    },
  }),
  api({
    ...common, id: 'commitFetch', summary: 'Fetch a commit with what it changed', method: 'GET', path: '/repos/{owner}/{repo}/commits/{ref*}',
    params: commitPath, result: commitDetailJson,
    run: async (_call, { granted, params }) => presentCommitDetail(await useCases().commit(granted, params.ref)),
  }),
  api({
    ...common, id: 'commitCompare', summary: 'Compare two refs', method: 'GET', path: '/repos/{owner}/{repo}/compare/{rest*}',
    params: comparePath, result: comparisonJson,
    run: async (_call, { granted, params }) => presentComparison(await useCases().compare(granted, params.rest)),
  }),
  api({
    ...common, id: 'repositoryBlame', summary: 'Blame', method: 'GET', path: '/repos/{owner}/{repo}/blame/{ref}/{path*}',
    params: rawPath, result: blameJson, statuses: [422],
    run: async (_call, { granted, params }) => presentBlame(await useCases().blame(granted, `${params.ref}/${params.path}`)),
  }),
  api({
    ...common, id: 'repositoryLanguages', summary: 'Bytes of each language', method: 'GET', path: '/repos/{owner}/{repo}/languages',
    params: repositoryPath, result: languagesJson,
    run: async (_call, { granted }) => Object.fromEntries(await useCases().languages(granted)),
  }),
];

const day = /^(\d{4}-\d{2}-\d{2})$/;
/** RFC 3339, section 5.6. */
const instant = /^(\d{4}-\d{2}-\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** @param time of a date that comes without one. @throws {ValidationFailed} */
function moment(field: string, text: string | undefined, time: string): Date | undefined {
  if (text === undefined) return undefined;
  const date = (day.exec(text) ?? instant.exec(text))?.[1];
  // Parsing alone lets the 31st of February pass as a day in March.
  if (date !== undefined && isDay(date)) return new Date(day.test(text) ? `${text}T${time}` : text.toUpperCase());
  throw new ValidationFailed('The request is not valid', { detail: `Query parameter "${field}" must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z` });
}

function isDay(date: string): boolean {
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date);
}
