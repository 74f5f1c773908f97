// Tests that audited operations answer 503 naming the plugin `audit` if it is disabled.
import t from 'tap';
import { startTestForge } from '#test/support/forge';

void t.test('the plugin audit is disabled', async (t) => {
  const { admin, anonymous, signIn } = await startTestForge(t, { environment: { HEXFORGE_PLUGINS: '-audit' } });

  await t.test('signing in, a refused sign-in and signing out need no entry', async (t) => {
    const client = await signIn(admin.username, admin.password);
    t.equal((await client.get('/api/v1/auth/me')).status, 200);
    t.equal(
      (await anonymous.post('/api/v1/auth/login', { body: { username: admin.username, password: 'not the password' } }))
        .status,
      401,
    );
    t.equal((await client.post('/api/v1/auth/logout')).status, 204);
    t.equal((await client.get('/api/v1/auth/me')).status, 401);
  });

  await t.test('audited operations are 503 naming the plugin, and change nothing', async (t) => {
    const client = await signIn(admin.username, admin.password);
    const token = await client.post('/api/v1/user/tokens', { body: { name: 'laptop', scopes: ['repo:read'] } });
    t.equal(token.status, 503);
    t.match(token.body, { error: /audit/, error_code: 'unavailable' });
    t.match((await client.get('/api/v1/user/tokens')).body, { items: [], total: 0 });
    const user = await client.post('/api/v1/admin/users', {
      body: { username: 'ada', email: 'ada@example.org', password: 'correct horse' },
    });
    t.equal(user.status, 503);
    t.equal((await anonymous.get('/api/v1/users/ada')).status, 404);
  });
});
