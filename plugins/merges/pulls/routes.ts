// The deprecated paths of merge requests: everything below /pulls redirects to /merges.
import { anyone, api, deprecation, maybe, reply, shape, text, word, type Method, type Route } from 'hexforge/plugin';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Method[];

/** The paths were deprecated before the first release. */
const since = new Date('2026-01-01T00:00:00Z');

/** Replaces the segment after `/api/v1/repos/{owner}/{repo}`. Everything else stays as the client has encoded it. */
const moved = (url: string): string => url.replace(/^((?:\/[^/?]+){5})\/[^/?]+/, '$1/merges');

/** Allowed for anyone: access is checked at the target of the redirect. */
export const pullRoutes = (): readonly Route[] =>
  methods.map((method) =>
    api({
      id: `mergePulls${method.charAt(0)}${method.slice(1).toLowerCase()}`,
      summary: 'Moved to /merges (deprecated)',
      method,
      path: '/repos/{owner}/{repo}/pulls/{rest*}',
      params: shape({ owner: word(), repo: word(), rest: maybe(text()) }),
      access: anyone,
      scope: null,
      deprecated: true,
      success: 308,
      result: 'empty',
      run(_call, { url }) {
        const location = moved(url);
        return reply(undefined, { headers: { location, ...deprecation(since, location) } });
      },
    }),
  );
