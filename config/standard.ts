// The list of standard plugins, and the default provider of each port that several plugins may provide.

export interface StandardPlugin {
  readonly name: string;
  /** Loaded only if the plugin is enabled, or if an error message must name the plugins that provide a port. */
  readonly module: string;
  /** Whether the plugin runs if the configuration does not set it. */
  readonly enabled: boolean;
}

export const standardPlugins: readonly StandardPlugin[] = [
  { name: 'identity', module: '#plugins/identity/plugin', enabled: true },
  { name: 'repositories', module: '#plugins/repositories/plugin', enabled: true },
  { name: 'git-native', module: '#plugins/git-native/plugin', enabled: true },
  { name: 'git-http', module: '#plugins/git-http/plugin', enabled: true },
  { name: 'planning', module: '#plugins/planning/plugin', enabled: true },
  { name: 'issues', module: '#plugins/issues/plugin', enabled: true },
  { name: 'merges', module: '#plugins/merges/plugin', enabled: true },
  { name: 'search', module: '#plugins/search/plugin', enabled: true },
  { name: 'search-sql', module: '#plugins/search-sql/plugin', enabled: true },
  { name: 'oauth-login', module: '#plugins/oauth-login/plugin', enabled: true },
  { name: 'oauth-server', module: '#plugins/oauth-server/plugin', enabled: true },
  { name: 'mcp', module: '#plugins/mcp/plugin', enabled: true },
  { name: 'audit', module: '#plugins/audit/plugin', enabled: true },
  { name: 'limits', module: '#plugins/limits/plugin', enabled: true },
  { name: 'settings', module: '#plugins/settings/plugin', enabled: true },
  { name: 'administration', module: '#plugins/administration/plugin', enabled: true },
  { name: 'web', module: '#plugins/web/plugin', enabled: true },
  { name: 'git-wasm', module: '#plugins/git-wasm/plugin', enabled: false },
  { name: 'ldap', module: '#plugins/ldap/plugin', enabled: false },
  { name: 'saml', module: '#plugins/saml/plugin', enabled: false },
  { name: 'search-opensearch', module: '#plugins/search-opensearch/plugin', enabled: false },
  { name: 'redis', module: '#plugins/redis/plugin', enabled: false },
];

/** Port to plugin; used if that plugin is enabled and the configuration chooses no provider. */
export const defaultProviders: Readonly<Record<string, string>> = {
  GitBackend: 'git-native',
  SearchBackend: 'search-sql',
};

/** Plugin to configuration that makes tests fast, at the cost of security. */
export const cheapForTests: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  identity: { scrypt_log_n: 4 },
};
