// Tests of races at the token endpoint: one request wins, reuse is detected, and no token is usable afterwards.
// HEXFORGE_TEST_RACES is the number of rounds of each race.
import t from 'tap';
import type { Answer, Client } from '#test/support/clients/client';
import { startTestForge } from '#test/support/forge';
import { onDatabase } from '#test/support/marks';
import {
  codeFor,
  exchange,
  makeApp,
  paths,
  pkce,
  postForm,
  proof,
  refresh,
  tokensFor,
  works,
  type Tokens,
} from './flow.ts';

const rounds = Number(process.env['HEXFORGE_TEST_RACES'] ?? 2);
const timeout = 60_000 + rounds * 10_000;
const parallel = 20;
const tokensOf = (answers: readonly Answer[]): Tokens[] =>
  answers.filter(({ status }) => status === 200).map(({ body }) => body as Tokens);

void onDatabase(t).test('races', { timeout: 11 * timeout }, async (t) => {
  const forge = await startTestForge(t);
  const admin = await forge.administrator();
  const { client: owner } = await forge.createUser('owner');
  const visitor = await forge.createUser('visitor');
  const app = await makeApp(owner);

  /** Describes which of these tokens still work. */
  const alive = async (tokens: readonly Tokens[]): Promise<string[]> => {
    const found: string[] = [];
    for (const { access_token: access, refresh_token: renewing } of tokens) {
      if (await works(forge, access)) found.push('an access token works');
      if ((await refresh(forge, app, renewing)).status === 200) found.push('a refresh token works');
    }
    return found;
  };
  const unless = (good: boolean, fault: string): string[] => (good ? [] : [fault]);

  /** Each returns the faults of one round. */
  const races: Readonly<Record<string, () => Promise<readonly string[]>>> = {
    'many concurrent exchanges of one code: one succeeds, and its tokens are revoked': async () => {
      const { code, keys } = await codeFor(owner, app);
      const answers = await Promise.all(Array.from({ length: parallel }, () => exchange(forge, app, code, keys)));
      const won = tokensOf(answers);
      return [
        ...unless(won.length === 1, `${won.length} won`),
        ...unless(
          answers.every(({ status }) => status === 200 || status === 400),
          'another status',
        ),
        ...(await alive(won)),
      ];
    },
    'many refreshes of one token: one wins, reuse is detected, the family ends': async () => {
      const first = await tokensFor(forge, owner, app);
      const answers = await Promise.all(
        Array.from({ length: parallel }, () => refresh(forge, app, first.refresh_token)),
      );
      const won = tokensOf(answers);
      return [
        ...unless(won.length === 1, `${won.length} won`),
        ...unless(
          answers.every(({ status, text }) => status === 200 || text.includes('reuse detected')),
          'undetected',
        ),
        ...(await alive([first, ...won])),
      ];
    },
    'a refresh and a revocation': async () => {
      const first = await tokensFor(forge, owner, app);
      const [renewed, revoked] = await Promise.all([
        refresh(forge, app, first.refresh_token),
        postForm(forge.anonymous, paths.revoke, { token: first.refresh_token, ...proof(app) }),
      ]);
      return [...unless(revoked.status === 200, 'not revoked'), ...(await alive([first, ...tokensOf([renewed])]))];
    },
    'a refresh and the suspension of the user': async () => {
      const first = await tokensFor(forge, await forge.signIn(visitor.username, visitor.password), app);
      const set = (status: string) => admin.patch(`/api/v1/admin/users/${visitor.id}`, { body: { status } });
      const [renewed, suspended] = await Promise.all([refresh(forge, app, first.refresh_token), set('suspended')]);
      await set('active');
      return [...unless(suspended.status === 200, 'not suspended'), ...(await alive([first, ...tokensOf([renewed])]))];
    },
    'a refresh, an exchange and the suspension of the client': async () => {
      const first = await tokensFor(forge, owner, app);
      const { code, keys } = await codeFor(owner, app);
      const act = (name: string) => admin.post(`${paths.adminApps}/${app.id}/${name}`);
      const [renewed, exchanged, suspended] = await Promise.all([
        refresh(forge, app, first.refresh_token),
        exchange(forge, app, code, keys),
        act('suspend'),
      ]);
      await act('unsuspend');
      return [
        ...unless(suspended.status === 200, 'not suspended'),
        ...(await alive([first, ...tokensOf([renewed, exchanged])])),
        ...unless((await exchange(forge, app, code, keys)).status === 400, 'the code works'),
      ];
    },
    'many concurrent first approvals: one grant, and each code is valid': async () => {
      const fresh = await makeApp(owner);
      const codes = await Promise.all(Array.from({ length: 10 }, () => codeFor(owner, fresh)));
      const grants = (await owner.get(`${paths.grants}?per_page=100`)).body as { items: { client_id: string }[] };
      const answers = await Promise.all(codes.map(({ code, keys }) => exchange(forge, fresh, code, keys)));
      return [
        ...unless(grants.items.filter(({ client_id: id }) => id === fresh.clientId).length === 1, 'several grants'),
        ...unless(tokensOf(answers).length === 10, 'a code was not valid'),
      ];
    },
    'a code is void after many concurrent exchanges with wrong verifiers': async () => {
      const { code, keys } = await codeFor(owner, app);
      const tried = await Promise.all(Array.from({ length: parallel }, () => exchange(forge, app, code, pkce())));
      return [
        ...unless(
          tried.every(({ status, text }) => status === 400 && text.includes('invalid_grant')),
          'another answer',
        ),
        ...unless((await exchange(forge, app, code, keys)).status === 400, 'the code works'),
      ];
    },
    ...Object.fromEntries(
      Object.entries<(id: string, client: Client) => Promise<Answer>>({
        'revoke-tokens': (id) => admin.post(`/api/v1/admin/users/${id}/revoke-tokens`),
        'a password change': (id) =>
          admin.post(`/api/v1/admin/users/${id}/password`, { body: { password: 'another password' } }),
        'the deletion of the user': (id) => admin.delete(`/api/v1/admin/users/${id}`),
        'the revocation of the grant': (_id, client) => client.delete(`${paths.grants}/${app.clientId}`),
      }).map(([what, end]) => [
        `a refresh, an exchange and ${what}`,
        async () => {
          const user = await forge.createUser();
          const first = await tokensFor(forge, user.client, app);
          const { code, keys } = await codeFor(user.client, app);
          const [renewed, exchanged, ended] = await Promise.all([
            refresh(forge, app, first.refresh_token),
            exchange(forge, app, code, keys),
            end(user.id, user.client),
          ]);
          return [
            ...unless(ended.status === 204, `it answered ${ended.status}`),
            ...unless(renewed.status === 200 || renewed.status === 400, `refresh: ${renewed.status}`),
            ...unless(exchanged.status === 200 || exchanged.status === 400, `exchange: ${exchanged.status}`),
            ...(await alive([first, ...tokensOf([renewed, exchanged])])),
            ...unless((await exchange(forge, app, code, keys)).status === 400, 'the code works'),
          ];
        },
      ]),
    ),
  };

  for (const [name, race] of Object.entries(races))
    await t.test(name, { timeout }, async (t) => {
      const faults: string[] = [];
      for (let round = 1; round <= rounds; round += 1)
        faults.push(...(await race()).map((fault) => `round ${round}: ${fault}`));
      t.strictSame(faults, []);
    });
});
