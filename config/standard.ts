// THE list of standard plugins, and who provides what where several could.

export interface StandardPlugin {
  readonly name: string;
  /** Loaded only when the plugin is enabled, or when a remedy has to name who could help. */
  readonly module: string;
  /** Whether it runs where the configuration does not say. */
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
  { name: 'oauth-server', module: '#plugins/oauth-server/plugin', enabled: true },
  { name: 'audit', module: '#plugins/audit/plugin', enabled: true },
  { name: 'limits', module: '#plugins/limits/plugin', enabled: true },
  { name: 'settings', module: '#plugins/settings/plugin', enabled: true },
  { name: 'administration', module: '#plugins/administration/plugin', enabled: true },
  { name: 'redis', module: '#plugins/redis/plugin', enabled: false },
];

/** Port → plugin; counts where that plugin is enabled and the configuration does not choose. */
export const defaultProviders: Readonly<Record<string, string>> = {
  GitBackend: 'git-native',
};

/** Plugin → what makes it cheap where it guards nothing: in the forges of tests. */
export const cheapForTests: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  identity: { scrypt_log_n: 10 },
};
