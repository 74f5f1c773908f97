// Races at the token endpoint: one winner, reuse detected, and nothing usable afterwards. HEXFORGE_TEST_RACES says how
// often each is run.
import t from 'tap';
import type { Answer } from '#test/support/client';
import { startTestForge } from '#test/support/forge';
import { codeFor, exchange, makeApp, paths, postForm, proof, refresh, tokensFor, works, type Tokens } from './flow.ts';

const rounds = Number(process.env['HEXFORGE_TEST_RACES'] ?? 2);
const timeout = 60_000 + rounds * 10_000;
const parallel = 20;
const tokensOf = (answers: readonly Answer[]): Tokens[] =>
  answers.filter(({ status }) => status === 200).map(({ body }) => body as Tokens);

void t.test('races', { timeout: 5 * timeout }, async (t) => {
  const forge = await startTestForge(t);
  const admin = await forge.administrator();
  const { client: owner } = await forge.createUser('owner');
  const visitor = await forge.createUser('visitor');
  const app = await makeApp(owner);

  /** What of these is good for anything. */
  const alive = async (tokens: readonly Tokens[]): Promise<string[]> => {
    const found: string[] = [];
    for (const { access_token: access, refresh_token: renewing } of tokens) {
      if (await works(forge, access)) found.push('an access token works');
      if ((await refresh(forge, app, renewing)).status === 200) found.push('a refresh token works');
    }
    return found;
  };
  const unless = (good: boolean, fault: string): string[] => (good ? [] : [fault]);

  /** Each yields what was wrong in a round. */
  const races: Readonly<Record<string, () => Promise<readonly string[]>>> = {
    'many exchanges of one code: one wins, and what it won ends': async () => {
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
  };

  for (const [name, race] of Object.entries(races))
    await t.test(name, { timeout }, async (t) => {
      const faults: string[] = [];
      for (let round = 1; round <= rounds; round += 1)
        faults.push(...(await race()).map((fault) => `round ${round}: ${fault}`));
      t.strictSame(faults, []);
    });
});
