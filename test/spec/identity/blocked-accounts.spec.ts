// An account that has to verify its address or be approved first keeps no credential from before.
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { sharedForge } from '#test/support/shared-forge';
import { makeApp, setSetting, tokensFor } from '../oauth-server/flow.ts';

const requireVerification = 'auth.require_email_verification';

void t.test('an unverified account', async (t) => {
  const forge = await sharedForge(t);
  const admin = await forge.administrator();
  t.teardown(() => setSetting(forge, requireVerification, 'false'));
  const app = await makeApp(admin);

  /** Signs a new user in with every kind of credential. */
  const credentialsOf = async (username: string) => {
    const user = await forge.createUser(username);
    const signedIn = await forge.anonymous.post('/api/v1/auth/login', {
      body: { username, password: user.password },
    });
    const session = forge.as((signedIn.body as { readonly access_token: string }).access_token);
    const cookie = signedIn.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    const pat = await forge.pat(session, []);
    const oauth = forge.as((await tokensFor(forge, session, app)).access_token);
    const refresh = async () => (await forge.anonymous.post('/api/v1/auth/refresh', { headers: { cookie } })).status;
    return { user, session, pat, oauth, refresh };
  };
  const statuses = async (clients: readonly Client[]): Promise<readonly number[]> =>
    Promise.all(clients.map(async (client) => (await client.get('/api/v1/auth/me')).status));

  await t.test('loses every credential when verification becomes required', async (t) => {
    const { user, session, pat, oauth, refresh } = await credentialsOf('early');
    t.equal((await session.patch('/api/v1/user', { body: { email: 'other@example.org' } })).status, 200);
    t.strictSame(await statuses([session, pat, oauth]), [200, 200, 200]);
    await setSetting(forge, requireVerification, 'true');
    t.strictSame(await statuses([session, pat, oauth]), [401, 401, 401]);
    t.equal(await refresh(), 401);
    const verified = { body: { email: 'verified@example.org' } };
    t.equal((await admin.patch(`/api/v1/admin/users/${user.id}`, verified)).status, 200);
    t.strictSame(await statuses([session, pat, oauth]), [401, 401, 401], 'also once the address is verified');
    t.equal(await refresh(), 401);
    t.ok(await forge.signIn('early', user.password));
  });

  await t.test('loses every credential with a new address while verification is required', async (t) => {
    const { user, session, pat, oauth, refresh } = await credentialsOf('moving');
    t.equal((await session.patch('/api/v1/user', { body: { display_name: 'Moving' } })).status, 200);
    t.strictSame(await statuses([session, pat, oauth]), [200, 200, 200]);
    t.equal((await session.patch('/api/v1/user', { body: { email: 'new@example.org' } })).status, 200);
    t.strictSame(await statuses([session, pat, oauth]), [401, 401, 401]);
    t.equal(await refresh(), 401);
    await setSetting(forge, requireVerification, 'false');
    t.strictSame(await statuses([session, pat, oauth]), [401, 401, 401], 'also once verification is not required');
    t.ok(await forge.signIn('moving', user.password));
  });

  await t.test('is verified by an administrator who sets the address that it has', async (t) => {
    const { user, session } = await credentialsOf('same');
    t.equal((await session.patch('/api/v1/user', { body: { email: 'same@example.net' } })).status, 200);
    await setSetting(forge, requireVerification, 'true');
    const signIn = () =>
      forge.anonymous.post('/api/v1/auth/login', { body: { username: 'same', password: user.password } });
    t.match(await signIn(), { status: 403, body: { error_code: 'email_not_verified' } });
    const path = `/api/v1/admin/users/${user.id}`;
    t.equal((await admin.patch(path, { body: { display_name: 'Same' } })).status, 200);
    t.equal((await signIn()).status, 403, 'another member verifies nothing');
    t.equal((await admin.patch(path, { body: { email: 'same@example.net' } })).status, 200);
    t.equal((await signIn()).status, 200);
  });

  await t.test('is not locked out as an instance administrator', async (t) => {
    await setSetting(forge, requireVerification, 'true');
    const root = await forge.createUser('root', { isAdmin: true });
    t.equal((await root.client.patch('/api/v1/user', { body: { email: 'root@example.net' } })).status, 200);
    t.equal((await root.client.get('/api/v1/auth/me')).status, 200);
    t.ok(await forge.signIn('root', root.password));
    const demoted = await admin.patch(`/api/v1/admin/users/${root.id}`, { body: { is_admin: false } });
    t.equal(demoted.status, 200);
    t.equal((await root.client.get('/api/v1/auth/me')).status, 401, 'without the flag it has to verify its address');
  });
});
