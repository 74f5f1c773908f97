// The contract suites of the ports of sign-in by redirect, on our own providers and on broken ones.
import t from 'tap';
import type { Call, User } from '#core/kernel/caller';
import { testHost } from '#host/sdk/testing';
import { contracts, type Promised } from '#test/contracts/contracts';
import { client, startOpenidProvider } from '#test/support/servers/openid-provider';

const server = await startOpenidProvider();
t.teardown(() => server.stop());
const forge = await testHost([], {
  settings: {
    'oauth.oidc.enabled': true,
    'oauth.oidc.client_id': client.id,
    'oauth.oidc.client_secret': client.secret,
    'oauth.oidc.issuer': server.issuer().issuer,
  },
});
t.teardown(() => forge[Symbol.asyncDispose]());
const { id } = await forge.user('admin');

const anonymous = (): Call => ({
  caller: { kind: 'anonymous' },
  requestId: 'contracts',
  ip: '127.0.0.1',
  userAgent: 'test',
  signal: new AbortController().signal,
  now: forge.clock.now(),
  renew: async () => anonymous(),
});
const administrator = (): Call<User> => ({
  ...anonymous(),
  caller: {
    kind: 'user',
    id,
    username: 'admin',
    isAdmin: true,
    credential: { kind: 'session', id, scopes: 'all', via: 'cookie' },
  },
  renew: async () => administrator(),
});

/** The names of the checks that fail. */
const failed = async (checks: readonly Promised[]): Promise<readonly string[]> => {
  const names: string[] = [];
  for (const { name, run } of checks) await run().catch(() => names.push(name));
  return names;
};

void t.test('SignInFlow', async (t) => {
  const [flow] = forge.port('SignInFlow');
  if (flow === undefined) throw new Error('no plugin provides it');
  const broken = (over: Partial<typeof flow>) =>
    failed(contracts.SignInFlow(() => ({ flow: { ...flow, ...over }, provider: 'oidc' })));
  const [good] = await flow.providers();
  if (good === undefined) throw new Error('no provider is enabled');
  const started = await flow.start('oidc', 'c'.repeat(43));
  t.strictSame(await broken({}), []);
  t.match(await broken({ providers: async () => [good, good] }), [/different ids/]);
  t.match(await broken({ providers: async () => [{ ...good, startPath: 'https://x' }] }), [/paths of this instance/]);
  t.match(await broken({ start: async () => started }), [/the state/, /no secret/, /NotFound/]);
  t.match(
    await broken({
      start: async (provider, state) => ({ ...(await flow.start(provider, state)), kept: 'x'.repeat(1001) }),
    }),
    [/1,000/, /no secret/],
  );
  t.match(await broken({ configured: async () => [] }), [/administrators/]);
});

void t.test('ExternalSignIn', async (t) => {
  const signIn = forge.port('ExternalSignIn');
  const broken = (over: Partial<typeof signIn>) =>
    failed(contracts.ExternalSignIn(() => ({ signIn: { ...signIn, ...over }, provider: 'oidc', call: anonymous })));
  t.strictSame(await broken({}), []);
  t.match(await broken({ expects: () => true }), [/finishes it once/]);
  t.match(await broken({ isUsed: async () => false }), [/used once/]);
  t.match(await broken({ finish: async () => ({ location: '/', cookies: [] }) }), [/finishes it/, /once/, /refusal/]);
});

void t.test('SettingForms', async (t) => {
  const forms = forge.port('SettingForms');
  if (forms === undefined) throw new Error('no plugin provides it');
  const broken = (over: Partial<typeof forms>) =>
    failed(
      contracts.SettingForms(() => ({
        forms: { ...forms, ...over },
        call: administrator,
        text: 'oauth.github.client_id',
        secret: 'oauth.github.client_secret',
      })),
    );
  t.strictSame(await broken({}), []);
  t.match(await broken({ described: async () => [] }), [/is shown/, /none is written/]);
});
