// Which statuses each repository endpoint has, written by hand from documents B and D, and what a running forge's
// OpenAPI document lacks of them.
import { operations, type Document } from '#test/support/openapi';

/** Method and path under /api/v1, and its statuses apart by spaces. */
export type Endpoint = readonly [route: string, statuses: string];

const repo = '/repos/{owner}/{repo}';

// Of every endpoint: 401 for a bad credential and 429 beyond a budget (document D, "General error codes"; document B,
// "Limits").
// Of every endpoint with a repository: 404 where it may not be read (document B, "What the service does"), and 403 for
// a token without the scope, on public data too (document D, "Repositories"). These stand in each row again, so that
// each can be read alone.
// The bodies: 400 and 415 of document D, "General error codes", 413 of "Repositories".
export const endpoints: readonly Endpoint[] = [
  // Document B, "GET /repos": 200; 401. The 403 is document D's.
  ['GET /repos', '200 401 403 429'],
  // Document B, "GET /repos/{owner}/{repo}": 304, 404.
  [`GET ${repo}`, '200 304 401 403 404 429'],
  // Document B, "POST /repos": 201, 400, 401, 409. Document D, "Repositories": `owner` for administrators alone, so
  // 403. A quota that is used up is 422.
  ['POST /repos', '201 400 401 403 409 413 415 422 429'],
  // Document B, "PATCH /repos/{owner}/{repo}": 200, 400, 401, 403, 404, 409.
  [`PATCH ${repo}`, '200 400 401 403 404 409 413 415 429'],
  // Document B, "DELETE /repos/{owner}/{repo}": 204, 400, 401, 403, 404.
  [`DELETE ${repo}`, '204 400 401 403 404 413 415 429'],

  // Document B, "GET /repos/{owner}/{repo}/contents/{path}": 304, 404.
  [`GET ${repo}/contents/{path}`, '200 304 401 403 404 429'],
  // Document B, "GET /repos/{owner}/{repo}/raw/{ref}/{path}": 200, 404.
  [`GET ${repo}/raw/{ref}/{path}`, '200 401 403 404 429'],
  // Document B, "GET /repos/{owner}/{repo}/blame/{ref}/{path}": 200, 404.
  [`GET ${repo}/blame/{ref}/{path}`, '200 401 403 404 429'],
  // Document D, "Writing through the API": GitHub's shape, so 201 for a new file and 200 for another; 409 for a stale
  // sha; 413.
  [`PUT ${repo}/contents/{path}`, '200 201 400 401 403 404 409 413 415 429'],
  [`DELETE ${repo}/contents/{path}`, '200 400 401 403 404 409 413 415 429'],

  // Document D, "Commits", "Archives": no status of their own.
  [`GET ${repo}/commits`, '200 401 403 404 429'],
  [`GET ${repo}/commits/{sha}`, '200 401 403 404 429'],
  // `{base}...{head}` is one parameter to OpenAPI, and so are `{ref}.tar.gz` and `{ref}.zip`.
  [`GET ${repo}/compare/{range}`, '200 401 403 404 429'],
  [`GET ${repo}/archive/{file}`, '200 401 403 404 429'],
  [`GET ${repo}/languages`, '200 401 403 404 429'],

  // Document B, "GET branches": 304, 400, 401, 404.
  [`GET ${repo}/branches`, '200 304 400 401 403 404 429'],
  // Document B, "POST branches": 201, 400, 401, 403, 404. Document D, "Repositories": 409 for a duplicate.
  [`POST ${repo}/branches`, '201 400 401 403 404 409 413 415 429'],
  // Document B, "DELETE branches/{branch}": 204, 400, 401, 403, 404, 429, 503.
  [`DELETE ${repo}/branches/{branch}`, '204 400 401 403 404 429 503'],
  // Document D, "Branch protection": no status of its own but the body's.
  [`GET ${repo}/branches/{branch}/protection`, '200 401 403 404 429'],
  [`PUT ${repo}/branches/{branch}/protection`, '200 400 401 403 404 413 415 429'],
  [`DELETE ${repo}/branches/{branch}/protection`, '204 401 403 404 429'],
  // Document B, "GET tags": as branches.
  [`GET ${repo}/tags`, '200 304 401 403 404 429'],
  // Document B, "POST tags": 201, 400, 401, 403, 404, 409.
  [`POST ${repo}/tags`, '201 400 401 403 404 409 413 415 429'],
  // Document B, "DELETE tags/{tag}": 204, 401, 403, 404. 503 where it cannot leave its audit entry, as for a branch.
  [`DELETE ${repo}/tags/{tag}`, '204 401 403 404 429 503'],

  // Document B, "GET collaborators": 404.
  [`GET ${repo}/collaborators`, '200 401 403 404 429'],
  // Document B, "PUT collaborators/{user}": 204, 400, 401, 403, 404; for its 503 see `never`.
  [`PUT ${repo}/collaborators/{user}`, '204 400 401 403 404 413 415 429'],
  // Document B, "DELETE collaborators/{user}": 204, 401, 403, 404.
  [`DELETE ${repo}/collaborators/{user}`, '204 401 403 404 429'],
  // Document B, "GET collaborators/{user}/permissions": 404.
  [`GET ${repo}/collaborators/{user}/permissions`, '200 401 403 404 429'],
  // Document D, "Role templates": no status of their own but the body's.
  [`GET ${repo}/role-templates`, '200 401 403 404 429'],
  [`POST ${repo}/role-templates`, '201 400 401 403 404 413 415 429'],
  [`PATCH ${repo}/role-templates/{id}`, '200 400 401 403 404 413 415 429'],
  [`DELETE ${repo}/role-templates/{id}`, '204 401 403 404 429'],

  // Document D, "Stars and watching": no status of their own.
  ['PUT /user/starred/{owner}/{repo}', '204 401 403 404 429'],
  ['DELETE /user/starred/{owner}/{repo}', '204 401 403 404 429'],
  [`PUT ${repo}/subscription`, '204 401 403 404 429'],
  [`DELETE ${repo}/subscription`, '204 401 403 404 429'],
  // Document D, "Forks", and "A fork answers 201"; a name that is taken is 409 as for POST /repos.
  [`GET ${repo}/forks`, '200 401 403 404 429'],
  [`POST ${repo}/forks`, '201 400 401 403 404 409 413 415 422 429'],

  // Later, with transfers: document B, "Transfer (instance administration)": preflight 200, 400, 401, 403, 404, 409,
  // 412; start 202, 400, 401, 403,
  // 404, 409; list 200, 400, 403, 404; one 200, 400, 403, 404.
];

/** Named by a document, and never answered. Where OpenAPI lists one after all, it belongs above. */
export const never: readonly Endpoint[] = [
  // Document B, "PUT collaborators/{user}": "role templates not configured". They are part of the plugin that has this
  // very route.
  [`PUT ${repo}/collaborators/{user}`, '503'],
];

/** Parameters may have any name. */
const shape = (route: string): string => route.replaceAll(/\{[^}]+\}/g, '{}');

/**
 * The rows by what OpenAPI says of them: one line for each endpoint it lacks, and for each status that one of its
 * endpoints lacks, or has.
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
