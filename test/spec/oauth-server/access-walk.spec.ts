// Every operation of the instance × every kind of OAuth2 token: without the scope, with it, bound elsewhere, revoked,
// and of a suspended user.
import t from 'tap';
import type { Answer } from '#test/support/client';
import type { Operation } from '#test/support/openapi';
import { startTestForge } from '#test/support/forge';
import { entryOf, fill, readsOwnCredentials } from '#test/support/walk';
import { makeApp, paths, postForm, proof, setSetting, tokensFor } from './flow.ts';

const codeOf = (answer: Answer): unknown => (answer.body as { error_code?: unknown } | undefined)?.error_code;

void t.test('every operation × every kind of token', { timeout: 120_000 }, async (t) => {
  const forge = await startTestForge(t);
  const admin = await forge.administrator();
  await setSetting(forge, 'oauth2.dcr.enabled', 'true');
  const scopes = ((await forge.anonymous.get(paths.metadata)).body as { scopes_supported: string[] }).scopes_supported;
  const app = await makeApp(admin, { scopes });
  const tokenOf = async (scope: string, over = {}) =>
    (await tokensFor(forge, admin, app, { scope, ...over })).access_token;

  const revoked = await tokenOf('read:user');
  await postForm(forge.anonymous, paths.revoke, { token: revoked, ...proof(app) });
  const gone = await forge.createUser('gone');
  const { access_token: suspended } = await tokensFor(forge, gone.client, app);
  await admin.patch(`/api/v1/admin/users/${gone.id}`, { body: { status: 'suspended' } });
  const bound = await tokenOf(scopes.join(' '), { resource: `${forge.url}/api/v1/mcp/admin/repo` });
  const right = new Map<string, string>();
  for (const scope of scopes) right.set(scope, await tokenOf(scope));

  const operations = forge.contract.operations.filter((operation) => !readsOwnCredentials(operation));
  t.ok(operations.length > 100, `operations: ${operations.length}`);
  const ask = async (operation: Operation, token: string) => {
    const answer = await forge
      .as(token)
      .request(operation.method, fill(operation.path), { headers: { accept: '*/*' } });
    return [answer.status, codeOf(answer)];
  };
  const faults: string[] = [];
  const hold = async (
    operation: Operation,
    what: string,
    token: string,
    good: (told: readonly unknown[]) => boolean,
  ) => {
    const told = await ask(operation, token);
    if (!good(told)) faults.push(`${operation.id}, ${what}: ${told.join(' ')}`);
  };
  for (const operation of operations) {
    const { 'x-access': access, 'x-scope': row } = entryOf(operation);
    await hold(operation, 'revoked', revoked, ([status]) => status === 401);
    await hold(operation, 'of a suspended user', suspended, ([status]) => status === 401);
    await hold(operation, 'bound elsewhere', bound, ([status, code]) => status === 403 && code === 'invalid_audience');
    if (access.who === 'session') {
      await hold(operation, 'any', right.get('admin:repo') ?? '', ([status]) => status === 403);
      continue;
    }
    if (row === undefined) continue;
    const other = row.oauth === 'email' ? 'profile' : 'email';
    if (row.oauth !== '*')
      await hold(
        operation,
        'another scope',
        right.get(other) ?? '',
        ([status, code]) => status === 403 && code === 'insufficient_scope',
      );
    const scope = row.oauth === undefined || row.oauth === '*' ? undefined : right.get(row.oauth);
    if (scope !== undefined)
      await hold(operation, 'the right scope', scope, ([, code]) => code !== 'insufficient_scope');
  }
  t.strictSame(faults, []);
});
