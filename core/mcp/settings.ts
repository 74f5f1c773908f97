// The switches of MCP: one of the instance, and one of each repository.
import type { RepositorySettingSpec } from '#core/kernel/services/repository-settings';
import type { SettingSpec } from '#core/kernel/services/settings';

declare module '#core/kernel/services/settings' {
  interface SettingValues {
    'mcp.enabled': boolean;
  }
}

declare module '#core/kernel/services/repository-settings' {
  interface RepositorySettingValues {
    'mcp.enabled': boolean;
  }
}

/** The key of both switches. */
export const switchKey = 'mcp.enabled';

/** The settings of the instance. */
export const mcpSettings: readonly SettingSpec[] = [
  {
    key: switchKey,
    type: 'boolean',
    default: true,
    description: 'Assistants may read repositories over MCP, where the repository allows it too',
  },
];

/** The settings of each repository. */
export const mcpRepositorySettings: readonly RepositorySettingSpec[] = [
  {
    key: switchKey,
    type: 'boolean',
    default: true,
    description: 'Assistants of people who can read this repository may read it over MCP',
  },
];
