// All use cases of the area for its own plugin.
import type { AccessDecision, Granted } from '#core/kernel/access/access';
import type { Caller, User } from '#core/kernel/caller';
import { Forbidden, Unauthorized, Unavailable } from '#core/kernel/errors';
import type { Log } from '#core/kernel/services/log';
import type { RepositorySettings } from '#core/kernel/services/repository-settings';
import type { Settings } from '#core/kernel/services/settings';
import type { Repository, RepositorySettingWriter } from '#core/repositories/index';
import { isForeignHost } from './hosts.ts';
import type { Serving } from './ports.ts';
import { switchKey } from './settings.ts';
import { toolset, type OfferedTool } from './toolset.ts';
import { familiesOf } from './words.ts';

export { endpointScope, type OfferedTool } from './toolset.ts';

/** Whether assistants can read a repository, and which toolsets there are. */
export interface McpDescriptor {
  readonly repository: Repository;
  readonly capabilities: readonly string[];
  readonly enabled: boolean;
  readonly instanceEnabled: boolean;
}

export interface McpParts {
  readonly access: AccessDecision;
  readonly settings: Settings;
  readonly repositorySettings: RepositorySettings;
  readonly settingWriter: RepositorySettingWriter;
  readonly tools: () => readonly OfferedTool[];
  readonly log: Log;
  /** The URLs of the instance. */
  readonly urls: readonly string[];
}

/** Seconds after which a client may ask again whether an administrator has switched MCP on. */
const retryAfter = 300;

type Reading = Granted<Repository, 'repo.read', User>;
export type McpUseCases = ReturnType<typeof mcpUseCases>;

export function mcpUseCases(parts: McpParts) {
  const { settings, repositorySettings, urls } = parts;
  const tools = toolset(parts);
  const describe = async (repository: Repository): Promise<McpDescriptor> => {
    const [enabled, instanceEnabled] = await Promise.all([
      repositorySettings.get(repository.id, switchKey),
      settings.get(switchKey),
    ]);
    return { repository, capabilities: familiesOf(parts.tools()), enabled, instanceEnabled };
  };

  return {
    /**
     * The first gates of the endpoint: a credential, then the switch of the instance. Scope, audience and read access
     * follow in the access decision.
     * @throws {Unauthorized | Unavailable}
     */
    async open(caller: Caller): Promise<void> {
      if (caller.kind === 'anonymous')
        throw new Unauthorized('The MCP endpoint needs a credential', {
          detail: 'Send "Authorization: Bearer TOKEN" with a token that has the scope "mcp:read"',
        });
      if (!(await settings.get(switchKey)))
        throw new Unavailable('MCP is switched off on this instance', {
          detail: `An administrator switches it on with the setting "${switchKey}"`,
          retryAfter,
        });
    },

    /**
     * The last gate: the switch of the repository.
     * @param host the Host header.
     * @throws {Unavailable} `mcp_disabled_for_repo`; {Forbidden} `host_not_allowed`.
     */
    async serve(
      granted: Reading,
      { host, ...params }: { readonly host: string | undefined; readonly owner: string; readonly repo: string },
    ): Promise<Serving> {
      if (!(await repositorySettings.get(granted.resource.id, switchKey)))
        throw new Unavailable('MCP is switched off for this repository', {
          code: 'mcp_disabled_for_repo',
          detail: 'An administrator of the repository can switch it on',
          retryAfter,
        });
      if (isForeignHost(host, urls))
        throw new Forbidden('The server is not known under this name', {
          code: 'host_not_allowed',
          detail: 'Use the address of the instance (HEXFORGE_BASE_URL)',
        });
      return tools(granted, params);
    },

    describe: ({ resource }: Granted<Repository, 'repo.read'>) => describe(resource),

    /** Whether both switches are on. */
    async isOpen(repository: Repository): Promise<boolean> {
      const { enabled, instanceEnabled } = await describe(repository);
      return enabled && instanceEnabled;
    },

    /** Switches MCP on or off for one repository, with an audit entry. */
    async change(
      granted: Granted<Repository, 'repo.admin', User>,
      { enabled }: { readonly enabled: boolean },
    ): Promise<McpDescriptor> {
      const before = await describe(granted.resource);
      if (before.enabled === enabled) return before;
      await parts.settingWriter.write(granted, [{ key: switchKey, value: String(enabled) }]);
      return describe(granted.resource);
    },
  };
}
