// Tests of the list of plugins for administrators.
import { anyone, api, definePlugin } from 'hexforge/plugin';
import t from 'tap';
import { startTestForge } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';

const path = '/api/v1/admin/plugins';

interface Row {
  readonly name: string;
  readonly state: string;
  readonly origin: string;
}

void t.test('GET /admin/plugins answers 200 with every plugin in the order of the configuration', async (t) => {
  const forge = await sharedForge(t);
  const answer = await (await forge.administrator()).get(path);
  t.equal(answer.status, 200);
  const rows = answer.body as readonly Row[];
  t.strictSame(
    rows.map(({ name, state, origin }) => [name, state, origin]),
    [
      ...[
        'identity',
        'repositories',
        'git-native',
        'git-http',
        'planning',
        'issues',
        'merges',
        'search',
        'search-sql',
        'oauth-login',
        'oauth-server',
        'mcp',
        'audit',
        'limits',
        'settings',
        'administration',
        'web',
      ].map((name) => [name, 'started', 'standard']),
      ['git-wasm', 'disabled', 'standard'],
      ['ldap', 'disabled', 'standard'],
      ['saml', 'disabled', 'standard'],
      ['search-opensearch', 'disabled', 'standard'],
      ['redis', 'disabled', 'standard'],
    ],
  );
  const own = rows.find(({ name }) => name === 'administration');
  t.match(own, {
    version: '0.1.0',
    enabled: true,
    reason: null,
    parked: 0,
    provides: ['AdminGrants'],
    needs: [
      'AccessDecision',
      'AuditLog',
      'Clock',
      'Events',
      'Locks',
      'PageRegistry',
      'PluginInventory',
      'UnitOfWork',
      'Users',
    ],
    routes: [
      { id: 'adminPluginList', method: 'GET', path, access: 'super-admin', scope: 'admin.plugins' },
      { id: 'adminScopeHolders', access: 'admin (admin:roles)', scope: 'admin.system' },
    ],
    tables: ['administration_grant', 'administration_known_plugin'],
    events: { handles: [], emits: ['admin_scope.granted', 'admin_scope.revoked'] },
    scopes: ['admin.plugins'],
    pages: ['adminOverview', 'adminScopesPage', 'adminPluginsPage', 'adminPluginPage'],
  });
  t.strictSame(
    [
      'settings',
      'repository_settings',
      'reads',
      'jobs',
      'permissions',
      'tools',
      'indexers',
      'channels',
      'outbound',
      'untold',
    ].map((list) => (own as unknown as Readonly<Record<string, unknown>>)[list]),
    Array.from({ length: 10 }, () => []),
  );
  t.match(
    rows.find(({ name }) => name === 'repositories'),
    {
      jobs: [
        { name: 'reconcile', seconds: 60 },
        { name: 'prune', seconds: 3600 },
      ],
      tables: ['repositories_repository'],
    },
  );
});

void t.test(
  'GET /admin/plugins is for instance administrators: 401, 403, and a token needs admin:system',
  async (t) => {
    const forge = await sharedForge(t);
    const administrator = await forge.administrator();
    const user = await forge.createUser('nosy');
    t.equal((await forge.anonymous.get(path)).status, 401);
    t.match(await user.client.get(path), { status: 403, body: { error_code: 'forbidden' } });
    t.equal((await (await forge.pat(administrator, ['admin:system'])).get(path)).status, 200);
    t.match(await (await forge.pat(administrator, ['admin:users', 'repo:admin'])).get(path), {
      status: 403,
      body: { error_code: 'insufficient_scope' },
    });
    t.equal((await (await forge.pat(user.client, ['admin:system'])).get(path)).status, 403);
  },
);

void t.test('GET /admin/plugins shows why a plugin failed, and which plugins were built', async (t) => {
  const forge = await startTestForge(t, {
    definitions: [
      definePlugin({
        name: 'ailing',
        version: '1.0.0',
        api: '*',
        onFailure: 'isolate',
        build: () => {
          throw new Error('no rope');
        },
      }),
      definePlugin({
        name: 'lively',
        version: '1.0.0',
        api: '*',
        build: () => ({ strike: async () => undefined }),
        routes: () => [
          api({
            id: 'livelyRead',
            summary: 'A sample',
            method: 'GET',
            path: '/lively',
            access: anyone,
            scope: null,
            result: 'empty',
            run: () => undefined,
          }),
        ],
        jobs: ({ strike }) => [{ name: 'strike', everySeconds: 1800, run: () => strike() }],
      }),
    ],
  });
  const rows = (await (await forge.administrator()).get(path)).body as readonly Row[];
  t.match(
    rows.filter(({ name }) => name === 'ailing' || name === 'lively'),
    [
      { state: 'failed', reason: 'Plugin "ailing" did not build: no rope', routes: [] },
      {
        state: 'started',
        reason: null,
        routes: [{ id: 'livelyRead', method: 'GET', path: '/api/v1/lively', access: 'anyone', scope: null }],
        jobs: [{ name: 'strike', seconds: 1800 }],
        untold: [],
      },
    ],
  );
});
