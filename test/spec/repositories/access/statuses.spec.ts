// Compares the statuses of repository endpoints in OpenAPI with a hand-written list, so that none can disappear from
// code and OpenAPI together.
import t from 'tap';
import type { Document } from '#test/support/clients/openapi';
import { sharedForge } from '#test/support/shared-forge';
import { endpoints, held, never } from './statuses.ts';

void t.test('reports a status or an endpoint that was dropped, and nothing else', (t) => {
  const rows = [
    ['GET /repos/{owner}/{repo}', '200 404'],
    ['PUT /repos/{owner}/{repo}/subscription', '204'],
  ] as const;
  const document = (get: readonly number[], put?: readonly number[]): Document => {
    const entry = (operationId: string, statuses: readonly number[]) => ({
      operationId,
      responses: Object.fromEntries(statuses.map((status) => [String(status), {}])),
    });
    return {
      paths: {
        '/api/v1/repos/{owner}/{name}': { get: entry('get', get) },
        ...(put === undefined ? {} : { '/api/v1/repos/{owner}/{repo}/subscription': { put: entry('put', put) } }),
      },
    };
  };
  t.same(held(rows, document([200, 404, 429], [204])).lacking, []);
  t.same(held(rows, document([200], [204])).lacking, ['GET /repos/{owner}/{repo}: 404']);
  t.same(held(rows, document([200, 404], [])).lacking, ['PUT /repos/{owner}/{repo}/subscription: 204']);
  t.same(held(rows, document([404])).lacking, [
    'GET /repos/{owner}/{repo}: 200',
    'PUT /repos/{owner}/{repo}/subscription: no such endpoint',
  ]);
  t.same(held(rows, document([404, 500], [204])).listed, [
    'GET /repos/{owner}/{repo}: 404',
    'PUT /repos/{owner}/{repo}/subscription: 204',
  ]);
  t.end();
});

void t.test('OpenAPI lists every status of the hand-written table for endpoints of repositories', async (t) => {
  const { forge } = await sharedForge(t);
  const document = (await forge.openapi()) as Document;
  t.same(held(endpoints, document).lacking, []);
  t.same(held(never, document).listed, [], 'in the table, but never answered');
  t.equal(new Set(endpoints.map(([route]) => route)).size, endpoints.length, 'each once');
});
