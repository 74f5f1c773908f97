// The admin scope admin:repo_roles beside the permission repo.admin, with every kind of credential.
import t from 'tap';
import { sharedForge } from '#test/support/shared-forge';
import { grantAdminScope, makeApp, tokensFor } from '../oauth-server/flow.ts';
import { oauthScopes, patScopes } from '../oauth-server/scope-table.ts';

void t.test('a holder of admin:repo_roles sets collaborators of others by a session or admin:system', async (t) => {
  const forge = await sharedForge(t);
  const admin = await forge.administrator();
  const [owner, holder] = [await forge.createUser('owner'), await forge.createUser('holder')];
  await grantAdminScope(admin, holder.id, 'admin:repo_roles');
  await owner.client.post('/api/v1/repos', { body: { name: 'secret', visibility: 'private' } });
  await forge.createUser('friend');
  const app = await makeApp(admin, { scopes: oauthScopes });
  const { access_token: oauth } = await tokensFor(forge, holder.client, app, { scope: oauthScopes.join(' ') });
  const withoutSystem = patScopes.filter((scope) => scope !== 'admin:system');
  for (const [who, client, status] of [
    ['a session', holder.client, 204],
    ['a PAT with repo:admin and admin:system', await forge.pat(holder.client, ['repo:admin', 'admin:system']), 204],
    ['a PAT with every scope except admin:system', await forge.pat(holder.client, withoutSystem), 404],
    ['a PAT with admin:system alone', await forge.pat(holder.client, ['admin:system']), 403],
    ['an OAuth2 token with every scope', forge.as(oauth), 404],
  ] as const) {
    const path = '/api/v1/repos/owner/secret/collaborators/friend';
    const answer = await client.put(path, { body: { role: 'read' } });
    t.equal(answer.status, status, `${who}: ${answer.text}`);
  }
});
