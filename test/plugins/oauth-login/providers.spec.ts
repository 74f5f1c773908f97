// The settings of the providers: which are offered, in which order, and which values are refused.
import t from 'tap';
import { readSetting } from '#core/kernel/services/setting-text';
import { settingMisfit, type Settings } from '#core/kernel/services/settings';
import type { SignInClient } from '#adapters/oidc/index';
import { NotFound } from '#core/kernel/errors';
import { configuredProviders } from '#plugins/oauth-login/providers';
import { oauthLoginSettings, providerIds } from '#plugins/oauth-login/settings';

type Values = Record<string, unknown>;

const declared = (key: string) => {
  const found = oauthLoginSettings.find((setting) => setting.key === key);
  if (found === undefined) throw new Error(`"${key}" is not declared`);
  return found;
};

function withSettings(values: Values) {
  const get = async (key: string): Promise<unknown> => values[key] ?? declared(key).default;
  const client: SignInClient = {
    start: async ({ id }, state) => ({ redirectUrl: `https://${id}/${state}`, kept: '' }),
    identify: () => Promise.reject(new Error('not used')),
    inspect: async ({ address }) => [{ title: 'Issuer', outcome: 'good', about: address }],
  };
  return configuredProviders({
    settings: { get: get as Settings['get'] },
    client,
    webUrl: () => 'https://forge.example.com',
  });
}

const configured = (...ids: readonly string[]): Values =>
  Object.fromEntries(
    ids.flatMap((id) => [
      [`oauth.${id}.enabled`, true],
      [`oauth.${id}.client_id`, `client-of-${id}`],
      [`oauth.${id}.client_secret`, `secret-of-${id}`],
    ]),
  );

void t.test('a provider is offered if it is enabled and completely configured', async (t) => {
  const values = configured('github', 'oidc', 'gitea');
  const { flow } = withSettings(values);
  const offered = async () => (await flow.providers()).map(({ id }) => id);
  t.strictSame(await flow.providers(), [
    { id: 'github', displayName: 'GitHub', startPath: '/api/v1/auth/oauth/github/start' },
    { id: 'gitea', displayName: 'Gitea', startPath: '/api/v1/auth/oauth/gitea/start' },
  ]);
  values['oauth.oidc.issuer'] = 'https://id.example.com';
  values['oauth.oidc.display_name'] = 'Our accounts';
  t.strictSame(await offered(), ['github', 'gitea', 'oidc'], 'changes count at once');
  t.equal((await flow.providers())[2]?.displayName, 'Our accounts');
  values['oauth.order'] = 'oidc gitea';
  t.strictSame(await offered(), ['oidc', 'gitea', 'github']);
  values['oauth.github.client_secret'] = '';
  values['oauth.gitea.enabled'] = false;
  t.strictSame(await offered(), ['oidc']);
});

void t.test('a provider that is not enabled can be tested, others do not exist', async (t) => {
  const { flow } = withSettings({ ...configured('google'), 'oauth.google.enabled': false });
  t.equal((await flow.start('google', 's')).redirectUrl, 'https://google/s');
  t.match(await flow.inspect('google'), [{ outcome: 'good', about: 'https://accounts.google.com' }]);
  await t.rejects(flow.start('github', 's'), NotFound);
  for (const id of ['nobody', '__proto__', 'constructor', '']) {
    await t.rejects(flow.start(id, 's'), NotFound, id);
    await t.rejects(flow.inspect(id), NotFound, id);
  }
});

void t.test('administrators see all providers, with their settings and the callback URL', async (t) => {
  const { flow } = withSettings({ ...configured('gitea'), 'oauth.gitlab.enabled': true });
  const all = await flow.configured();
  t.strictSame(
    all.map(({ id, enabled }) => [id, enabled]),
    providerIds.map((id) => [id, id === 'gitea']),
  );
  for (const { id, settings, registration } of all) {
    t.equal(settings[0], `oauth.${id}.enabled`);
    t.ok(settings.length <= 12);
    for (const key of settings) t.equal(declared(key).key, key);
    t.strictSame(registration, [
      { title: 'Callback URL', value: `https://forge.example.com/api/v1/auth/oauth/${id}/callback` },
    ]);
  }
  const shown = new Set(all.flatMap(({ settings }) => settings));
  t.strictSame(
    oauthLoginSettings.map(({ key }) => key).filter((key) => !shown.has(key)),
    [],
    'every setting has a form',
  );
});

void t.test('the settings that are missing are named', async (t) => {
  const { flow } = withSettings({ 'oauth.oidc.client_id': 'x' });
  const aboutOf = async (id: string) => (await flow.inspect(id)).map(({ outcome, about }) => `${outcome}: ${about}`);
  t.strictSame(await aboutOf('oidc'), ['bad: The issuer is not set', 'bad: The client secret is not set']);
  t.strictSame(await aboutOf('gitlab'), [
    'bad: The client id is not set',
    'bad: The client secret is not set',
    'good: https://gitlab.com',
  ]);
});

void t.test('every setting is declared once, with a default that is valid', (t) => {
  const keys = oauthLoginSettings.map(({ key }) => key);
  t.equal(new Set(keys).size, keys.length);
  t.equal(keys.length, 4 * providerIds.length + 3);
  for (const setting of oauthLoginSettings) t.equal(settingMisfit(setting, setting.default), undefined, setting.key);
  t.strictSame(
    oauthLoginSettings.filter(({ sensitive }) => sensitive === true).map(({ key }) => key),
    providerIds.map((id) => `oauth.${id}.client_secret`),
  );
  t.end();
});

void t.test('enabled is the text "true"', (t) => {
  t.strictSame(readSetting(declared('oauth.github.enabled'), 'true'), { value: true });
  t.match(readSetting(declared('oauth.github.enabled'), 'yes'), { misfit: String });
  t.end();
});

void t.test('values that cannot work are refused', (t) => {
  const refused: Readonly<Record<string, readonly string[]>> = {
    'oauth.order': ['github gitbub', 'github github', 'saml', 'GITHUB'],
    'oauth.oidc.scopes': ['profile email', '', 'openid "x"', 'openid\nemail'],
    'oauth.oidc.issuer': ['http://id.example.com', 'id.example.com', 'https://x/?a=b'],
    'oauth.google.issuer': ['', 'http://accounts.google.com'],
    'oauth.github.url': ['', 'https://user:secret@github.com'],
    'oauth.oidc.display_name': ['', ' ', 'two\nlines', 'x'.repeat(61)],
    'oauth.gitlab.client_id': ['with space', 'x'.repeat(1025)],
    'oauth.gitlab.client_secret': ['line\n', 'ü'],
  };
  for (const [key, values] of Object.entries(refused))
    for (const value of values)
      t.type(settingMisfit(declared(key), value), 'string', `${key} ${JSON.stringify(value)}`);
  const accepted: Readonly<Record<string, readonly string[]>> = {
    'oauth.order': ['', 'oidc', 'gitea oidc github', providerIds.toReversed().join(' ')],
    'oauth.oidc.scopes': ['openid', 'openid email groups'],
    'oauth.oidc.issuer': ['', 'https://id.example.com/realms/forge', 'http://localhost:8080'],
  };
  for (const [key, values] of Object.entries(accepted))
    for (const value of values) t.equal(settingMisfit(declared(key), value), undefined, `${key} ${value}`);
  t.end();
});
