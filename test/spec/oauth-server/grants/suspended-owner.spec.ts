// The applications of a suspended owner are suspended: their tokens end, and no new ones are issued.
import t from 'tap';
import { sharedForge } from '#test/support/shared-forge';
import {
  approve,
  askConsent,
  codeFor,
  decide,
  exchange,
  introspect,
  makeApp,
  paths,
  pkce,
  refresh,
  requestOf,
  tokensFor,
  works,
} from '../flow.ts';

const keys = pkce();

void t.test('an application whose owner is suspended', async (t) => {
  const forge = await sharedForge(t);
  const admin = await forge.administrator();
  const owner = await forge.createUser('owner');
  const visitor = await forge.createUser('visitor');
  const app = await makeApp(owner.client);
  const kept = await makeApp(admin);
  const suspended = async () => [
    ((await admin.get(`${paths.adminApps}/${app.id}`)).body as { suspended: boolean }).suspended,
    ((await admin.get(paths.adminApps)).body as { items: { id: string; suspended: boolean }[] }).items.find(
      ({ id }) => id === app.id,
    )?.suspended,
  ];
  const setStatus = (status: string) => admin.patch(`/api/v1/admin/users/${owner.id}`, { body: { status } });

  const tokens = await tokensFor(forge, visitor.client, app);
  const others = await tokensFor(forge, visitor.client, kept);
  await approve(visitor.client, requestOf(app, keys), { decision: 'approve', remember: 'true' });
  const { code, keys: codeKeys } = await codeFor(visitor.client, app, { scope: 'read:user' });
  t.strictSame(await suspended(), [false, false]);
  t.equal((await setStatus('suspended')).status, 200);

  t.strictSame(await suspended(), [true, true]);
  t.equal(await works(forge, tokens.access_token), false);
  t.equal(await works(forge, others.access_token), true, 'a token of another application');
  t.match(await refresh(forge, app, tokens.refresh_token), { status: 401, body: { error: 'invalid_client' } });
  t.match(await exchange(forge, app, code, codeKeys), { status: 401, body: { error: 'invalid_client' } });
  t.match(await introspect(forge, app, tokens.access_token), { status: 401 });
  for (const answer of [
    await askConsent(visitor.client, requestOf(app, keys)),
    await decide(visitor.client, requestOf(app, keys)),
  ])
    t.match(answer, { status: 400, body: { error: 'invalid_client' } });
  t.strictSame(((await visitor.client.get(paths.grants)).body as { total: number }).total, 1);
  t.match(await admin.post(`${paths.adminApps}/${app.id}/unsuspend`), { status: 200, body: { suspended: true } });

  t.equal((await setStatus('active')).status, 200);
  t.strictSame(await suspended(), [false, false]);
  t.equal(await works(forge, tokens.access_token), false, 'ended tokens stay ended');
  t.match(await refresh(forge, app, tokens.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
  t.match((await askConsent(visitor.client, requestOf(app, keys))).body, { decision: 'consent_required' });
  t.ok(await works(forge, (await tokensFor(forge, visitor.client, app)).access_token));
});
