// Tests of the audit entries of applications, grants and token reuse. Each operation runs twice: first while the log
// rejects entries (503, and nothing changes), then while it accepts them.
import t from 'tap';
import type { Answer } from '#test/support/clients/client';
import { startTestForge } from '#test/support/forge';
import { stoppableLog } from '#test/support/wrapped-store';
import { approve, codeFor, decide, exchange, makeApp, paths, pkce, refresh, requestOf, tokensFor } from './flow.ts';

interface Entry {
  readonly id: string;
  readonly action: string;
  readonly resource: string;
}

void t.test(
  'applications, grants and reuse add their entries, and nothing changes while the log rejects entries',
  async (t) => {
    const { audit, stop, mend } = await stoppableLog();
    const configuration = { settings: { 'oauth2.dcr.enabled': true } };
    const forge = await startTestForge(t, { definitions: [audit], configuration });
    const admin = await forge.administrator();
    const { client: owner } = await forge.createUser('owner');
    const { client: user } = await forge.createUser('visitor');
    const newest = async (): Promise<readonly Entry[]> =>
      ((await admin.get('/api/v1/admin/audit-log?per_page=5&action=oauth_')).body as { entries: readonly Entry[] })
        .entries;
    const leaves = async (action: string, status: number, ask: () => Promise<Answer>): Promise<Answer> => {
      const before = Number((await newest())[0]?.id ?? 0);
      stop();
      const refused = await ask();
      mend();
      t.equal(refused.status, 503, `${action}: refused: ${refused.text}`);
      t.equal(Number((await newest())[0]?.id ?? 0), before, `${action}: no entry if the operation did not happen`);
      const done = await ask();
      t.equal(done.status, status, `${action}: ${done.text}`);
      const entry = (await newest()).find((one) => one.action === action);
      t.ok(Number(entry?.id) > before, `${action}: its entry`);
      t.match(entry?.resource, /^oauth_app:[0-9a-f-]{36}$/);
      return done;
    };

    const body = {
      name: 'Audited',
      confidential: true,
      scopes: ['read:user'],
      redirect_uris: ['https://a.example/cb'],
    };
    const made = await leaves('oauth_app.created', 201, () => owner.post(paths.apps, { body }));
    const { id } = made.body as { readonly id: string };
    await leaves('oauth_app.updated', 200, () => owner.patch(`${paths.apps}/${id}`, { body: { name: 'Renamed' } }));
    await leaves('oauth_app.secret_rotated', 200, () => owner.post(`${paths.apps}/${id}/rotate-secret`));
    await leaves('oauth_app.suspended', 200, () => admin.post(`${paths.adminApps}/${id}/suspend`));
    await leaves('oauth_app.unsuspended', 200, () => admin.post(`${paths.adminApps}/${id}/unsuspend`));
    await leaves('oauth_app.deleted', 204, () => owner.delete(`${paths.apps}/${id}`));
    const registration = { client_name: 'Itself', redirect_uris: ['http://127.0.0.1:7777/callback'] };
    await leaves('oauth_app.registered', 201, () => forge.anonymous.post(paths.register, { body: registration }));

    const app = await makeApp(owner, { confidential: true });
    await leaves('oauth_grant.approved', 200, () => decide(user, requestOf(app, pkce())));
    const { code, keys } = await codeFor(user, app);
    t.equal((await exchange(forge, app, code, keys)).status, 200);
    await leaves('oauth_grant.code_reused', 400, () => exchange(forge, app, code, keys));
    const { refresh_token: first } = await tokensFor(forge, user, app);
    t.equal((await refresh(forge, app, first)).status, 200);
    await leaves('oauth_grant.refresh_token_reused', 400, () => refresh(forge, app, first));
    await approve(user, requestOf(app, pkce()), { decision: 'yes', remember: 'true' });
    const forgotten = { decision: 'cancel', remember: 'false' };
    await leaves('oauth_grant.revoked', 200, () => decide(user, requestOf(app, pkce()), forgotten));
    await leaves('oauth_grant.revoked', 204, () => user.delete(`${paths.grants}/${app.clientId}`));
  },
);
