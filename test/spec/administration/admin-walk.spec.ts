// Requests every admin route with every admin scope, by session and by personal access token: a permitted caller gets
// the same answer as an instance administrator, any other the documented refusal and its exact message.
import t from 'tap';
import type { Answer, Client } from '#test/support/clients/client';
import { sharedForge } from '#test/support/shared-forge';
import { adminScopes, guardOf, lines, type Guard } from './admin-table.ts';

const patScopes = ['admin:users', 'admin:system'] as const;

/** An answer as one text: its status, and for a refusal also the error code and the missing scope. */
function toldBy({ status, body }: Answer): string {
  const { error, error_code: code } = (body ?? {}) as { readonly error?: string; readonly error_code?: string };
  if (status !== 403) return code === undefined ? `${status}` : `${status} ${code}`;
  return `403 ${code}${error?.startsWith('admin scope required') === true ? `: ${error}` : ''}`;
}

const lacking = ({ scope }: Guard): string =>
  scope === undefined ? '403 forbidden' : `403 forbidden: admin scope required: ${scope}`;

void t.test('every admin route with every admin scope', { timeout: 120_000 }, async (t) => {
  const forge = await sharedForge(t);
  const admin = await forge.administrator();
  const routes = forge.contract.operations
    .filter(({ path }) => path.startsWith('/api/v1/admin/'))
    .flatMap(({ method, path }) => {
      const found = guardOf(path);
      if (found === undefined) t.fail(`${method} ${path} is served, and not in the table`);
      return found === undefined ? [] : [{ method, path, ...found }];
    });
  t.ok(routes.length >= 40, `${routes.length} routes`);
  t.strictSame(
    lines.filter((line) => !routes.some((route) => route.line === line)),
    [],
    'every row matches a route',
  );

  /** Sends malformed ids and no body: a permitted caller gets an error about them, any other gets only the refusal. */
  const ask = async (client: Client, { method, path }: (typeof routes)[number]): Promise<string> =>
    toldBy(await client.request(method, path.replaceAll(/\{\w+\}/g, 'malformed')));

  const faults: string[] = [];
  const free = new Map<(typeof routes)[number], string>();
  for (const route of routes) free.set(route, await ask(admin, route));
  t.strictSame(
    routes.filter((route) => /^40[13]/.test(free.get(route) ?? '')),
    [],
    'an instance administrator may use every route',
  );
  const walk = async (who: string, client: Client, told: (guard: Guard) => string | undefined): Promise<void> => {
    await Promise.all(
      routes.map(async (route) => {
        const [answer, wanted] = [await ask(client, route), told(route.guard) ?? free.get(route)];
        if (answer !== wanted) faults.push(`${route.method} ${route.path}, ${who}: expected ${wanted}, got ${answer}`);
      }),
    );
  };

  await walk('nobody', forge.anonymous, () => '401 unauthorized');
  const plain = await forge.createUser('plain');
  await walk('a user', plain.client, lacking);
  for (const pat of patScopes) {
    const insufficient = (guard: Guard): string | undefined =>
      guard.pat === pat ? undefined : '403 insufficient_scope';
    await walk(`an administrator's PAT, ${pat}`, await forge.pat(admin, [pat]), insufficient);
    await walk(
      `a user's PAT, ${pat}`,
      await forge.pat(plain.client, [pat]),
      (guard) => insufficient(guard) ?? lacking(guard),
    );
  }
  await walk(
    "an administrator's PAT, repo:admin",
    await forge.pat(admin, ['repo:admin']),
    () => '403 insufficient_scope',
  );

  for (const scope of adminScopes) {
    const { id, client } = await forge.createUser(`holder-${scope.slice(6)}`);
    const granted = await admin.post(`/api/v1/admin/users/${id}/admin-scopes`, { body: { scope } });
    t.equal(granted.status, 200, scope);
    const allowed = (guard: Guard): string | undefined => (guard.scope === scope ? undefined : lacking(guard));
    await walk(`${scope}, a session`, client, allowed);
    for (const pat of patScopes)
      await walk(`${scope}, a PAT, ${pat}`, await forge.pat(client, [pat]), (guard) =>
        guard.pat === pat ? allowed(guard) : '403 insufficient_scope',
      );
  }

  // All scopes together do not replace the super-admin flag, and a suspended or signed-out user has no scope.
  const holder = await forge.createUser('holder-of-all');
  for (const scope of adminScopes)
    await admin.post(`/api/v1/admin/users/${holder.id}/admin-scopes`, { body: { scope } });
  const pat = await forge.pat(holder.client, patScopes);
  const whole = (guard: Guard): string | undefined => (guard.scope === undefined ? lacking(guard) : undefined);
  await walk('all scopes, a session', holder.client, whole);
  await walk('all scopes, a PAT', pat, whole);
  await admin.patch(`/api/v1/admin/users/${holder.id}`, { body: { status: 'suspended' } });
  await walk('suspended, a session', holder.client, () => '401 unauthorized');
  await walk('suspended, a PAT', pat, () => '401 unauthorized');
  t.strictSame(faults, []);
});
