// The deprecated paths of merge requests (document B, "Versioning"): everything below /pulls is at /merges now.
import { anyone, api, Joi, maybe, reply, shape, text, word, type Method, type Route } from 'hexforge/plugin';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Method[];

/** Whatever parameters there are, as they came. */
const anyQuery = Joi.object<Readonly<Record<string, string | readonly string[]>>>().pattern(Joi.string(), Joi.any());

/** Segments of dots came with their slashes encoded: as they are they would lead elsewhere. */
const encoded = (path: string): string => {
  const segments = path.split('/');
  const climbs = segments.some((segment) => segment === '.' || segment === '..');
  return climbs ? encodeURIComponent(path) : segments.map(encodeURIComponent).join('/');
};

/** For anyone: a repository that is not for the caller to know of is refused where the answer leads to. */
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
