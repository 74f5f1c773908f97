// The hand-written list of the statuses of each repository endpoint, and a comparison with the OpenAPI document of a
// running forge.
import { operations, type Document } from '#test/support/clients/openapi';

/** Method and path under /api/v1, and its statuses separated by spaces. */
export type Endpoint = readonly [route: string, statuses: string];

const repo = '/repos/{owner}/{repo}';

// Shared by all endpoints: 401 for a bad credential, 429 beyond a budget; with a repository also 404 if it is
// unreadable and 403 for a token without the scope, also on public data; with a body also 400, 413 and 415. Each row
// repeats them, so that it can be read alone.
export const endpoints: readonly Endpoint[] = [
  ['GET /repos', '200 401 403 429'],
  // 304 by ETag.
  [`GET ${repo}`, '200 304 401 403 404 429'],
  // 403 because `owner` is only for administrators; 422 for an exceeded quota; 409 for a name in use.
  ['POST /repos', '201 400 401 403 409 413 415 422 429'],
  // 403 for a reader; 409 for a name or an issue code in use.
  [`PATCH ${repo}`, '200 400 401 403 404 409 413 415 429'],
  // 400 for a wrong confirmation; 403 for a reader.
  [`DELETE ${repo}`, '204 400 401 403 404 413 415 429'],

  // 304 by ETag.
  [`GET ${repo}/contents/{path}`, '200 304 401 403 404 429'],
  [`GET ${repo}/raw/{ref}/{path}`, '200 401 403 404 429'],
  [`GET ${repo}/blame/{ref}/{path}`, '200 401 403 404 429'],
  // 201 for a new file and 200 for a replaced one; 409 for a stale sha.
  [`PUT ${repo}/contents/{path}`, '200 201 400 401 403 404 409 413 415 429'],
  [`DELETE ${repo}/contents/{path}`, '200 400 401 403 404 409 413 415 429'],

  [`GET ${repo}/commits`, '200 401 403 404 429'],
  [`GET ${repo}/commits/{sha}`, '200 401 403 404 429'],
  // `{base}...{head}` is one parameter in OpenAPI, and so are `{ref}.tar.gz` and `{ref}.zip`.
  [`GET ${repo}/compare/{range}`, '200 401 403 404 429'],
  [`GET ${repo}/archive/{file}`, '200 401 403 404 429'],
  [`GET ${repo}/languages`, '200 401 403 404 429'],

  // 304 by ETag; 400 for a repeated parameter.
  [`GET ${repo}/branches`, '200 304 400 401 403 404 429'],
  // 409 for a duplicate.
  [`POST ${repo}/branches`, '201 400 401 403 404 409 413 415 429'],
  // 400 for the default branch; 503 if the audit entry cannot be written.
  [`DELETE ${repo}/branches/{branch}`, '204 400 401 403 404 429 503'],
  [`GET ${repo}/branches/{branch}/protection`, '200 401 403 404 429'],
  [`PUT ${repo}/branches/{branch}/protection`, '200 400 401 403 404 413 415 429'],
  [`DELETE ${repo}/branches/{branch}/protection`, '204 401 403 404 429'],
  // As for branches.
  [`GET ${repo}/tags`, '200 304 401 403 404 429'],
  // 409 for a duplicate.
  [`POST ${repo}/tags`, '201 400 401 403 404 409 413 415 429'],
  // 503 if the audit entry cannot be written.
  [`DELETE ${repo}/tags/{tag}`, '204 401 403 404 429 503'],

  [`GET ${repo}/collaborators`, '200 401 403 404 429'],
  // 503 was planned but is never answered: see `never`.
  [`PUT ${repo}/collaborators/{user}`, '204 400 401 403 404 413 415 429'],
  [`DELETE ${repo}/collaborators/{user}`, '204 401 403 404 429'],
  [`GET ${repo}/collaborators/{user}/permissions`, '200 401 403 404 429'],
  [`GET ${repo}/role-templates`, '200 401 403 404 429'],
  [`POST ${repo}/role-templates`, '201 400 401 403 404 413 415 429'],
  [`PATCH ${repo}/role-templates/{id}`, '200 400 401 403 404 413 415 429'],
  [`DELETE ${repo}/role-templates/{id}`, '204 401 403 404 429'],

  [`GET ${repo}/settings`, '200 401 403 404 429'],
  // 422 for a value out of bounds.
  [`POST ${repo}/settings`, '200 400 401 403 404 413 415 422 429'],

  ['PUT /user/starred/{owner}/{repo}', '204 401 403 404 429'],
  ['DELETE /user/starred/{owner}/{repo}', '204 401 403 404 429'],
  [`PUT ${repo}/subscription`, '204 401 403 404 429'],
  [`DELETE ${repo}/subscription`, '204 401 403 404 429'],
  // 409 for a name in use, as for POST /repos; 422 for an exceeded quota.
  [`GET ${repo}/forks`, '200 401 403 404 429'],
  [`POST ${repo}/forks`, '201 400 401 403 404 409 413 415 422 429'],

  // Transfers do not exist yet.
];

/** Planned statuses that are never answered. If OpenAPI lists one, it belongs in the list above. */
export const never: readonly Endpoint[] = [
  // 503 was planned for an instance without role templates. The plugin with this route always has them.
  [`PUT ${repo}/collaborators/{user}`, '503'],
];

/** Ignores the names of parameters. */
const shape = (route: string): string => route.replaceAll(/\{[^}]+\}/g, '{}');

/**
 * Compares the rows with OpenAPI: `lacking` has a line for each missing endpoint or status, `listed` one for each
 * status found.
 */
export function held(
  rows: readonly Endpoint[],
  document: Document,
): { readonly lacking: readonly string[]; readonly listed: readonly string[] } {
  const found = new Map(
    operations(document).map(({ method, path, answers }) => [
      shape(`${method} ${path.replace(/^\/api\/v1/, '')}`),
      answers,
    ]),
  );
  const lacking: string[] = [];
  const listed: string[] = [];
  for (const [route, statuses] of rows) {
    const answers = found.get(shape(route));
    if (answers === undefined) lacking.push(`${route}: no such endpoint`);
    else
      for (const status of statuses.split(' '))
        (answers.has(Number(status)) ? listed : lacking).push(`${route}: ${status}`);
  }
  return { lacking, listed };
}
