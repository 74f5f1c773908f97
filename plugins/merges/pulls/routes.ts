// The deprecated paths of merge requests: everything below /pulls redirects to /merges.
import { anyone, api, Joi, maybe, reply, shape, text, word, type Method, type Route } from 'hexforge/plugin';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Method[];

/** Any query parameters, kept unchanged. */
const anyQuery = Joi.object<Readonly<Record<string, string | readonly string[]>>>().pattern(Joi.string(), Joi.any());

/**
 * A segment `.` or `..` means that the slashes were sent encoded. They are encoded again, because a client would
 * resolve the segment.
 */
const encoded = (path: string): string => {
  const segments = path.split('/');
  const climbs = segments.some((segment) => segment === '.' || segment === '..');
  return climbs ? encodeURIComponent(path) : segments.map(encodeURIComponent).join('/');
};

/** Allowed for anyone: access is checked at the target of the redirect. */
export const pullRoutes = (): readonly Route[] =>
  methods.map((method) =>
    api({
      id: `mergePulls${method.charAt(0)}${method.slice(1).toLowerCase()}`,
      summary: 'Moved to /merges (deprecated)',
      method,
      path: '/repos/{owner}/{repo}/pulls/{rest*}',
      params: shape({ owner: word(), repo: word(), rest: maybe(text()) }),
      query: anyQuery,
      access: anyone,
      scope: null,
      success: 308,
      result: 'empty',
      run(_call, { params: { owner, repo, rest = '' }, query }) {
        const path = [
          '/api/v1/repos',
          encodeURIComponent(owner),
          encodeURIComponent(repo),
          'merges',
          ...(rest === '' ? [] : [encoded(rest)]),
        ];
        const pairs = Object.entries(query).flatMap(([name, value]) =>
          [value].flat().map((one) => [name, String(one)] as [string, string]),
        );
        const search = new URLSearchParams(pairs).toString();
        return reply(undefined, {
          headers: { location: `${path.join('/')}${search === '' ? '' : `?${search}`}`, deprecation: 'true' },
        });
      },
    }),
  );
