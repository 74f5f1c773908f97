// Descriptions of scopes on the consent page. Each completes the sentence "It will be able to".

const words: Readonly<Record<string, string>> = {
  'read:user': 'read your account',
  'read:repo': 'read all repositories that you can read, private ones too',
  'write:repo': 'change repositories that you can write to',
  'admin:repo': 'administer your repositories: settings, people, protection, deletion',
  'read:issue': 'read issues',
  'write:issue': 'write issues and comments in your name',
  'read:pipeline': 'read pipelines and their logs',
  'write:pipeline': 'run and cancel pipelines',
  'read:package': 'read packages',
  'write:package': 'publish packages',
  'read:audit': 'read the audit log of this instance',
  openid: 'know who you are',
  profile: 'know your name and picture',
  email: 'know your e-mail address',
  'mcp:read': 'read repositories, issues and code that you can read, as an assistant (MCP)',
};

/** The description of a scope; undefined for a scope of an external plugin, whose name is shown instead. */
export const wordsOf = (scope: string): string | undefined => (Object.hasOwn(words, scope) ? words[scope] : undefined);
