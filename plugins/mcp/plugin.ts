// The plugin "mcp": lets assistants read repositories over the Model Context Protocol.
import { definePlugin } from 'hexforge/plugin';
import { mcpRepositorySettings, mcpSettings } from 'hexforge/mcp';
import { mcpEndpoint } from '#adapters/mcp/endpoint';
import { mcpUseCases } from '#core/mcp/use-cases';
import { endpointRoute } from './endpoint/routes.ts';
import { offeredTools } from './endpoint/tools.ts';
import { mcpPages, mcpPanels, mcpTabs } from './settings/pages.ts';
import { switchRoutes } from './settings/routes.ts';

export default definePlugin({
  name: 'mcp',
  version: '0.1.0',
  api: '^0.2.0',
  needs: [
    'AccessDecision',
    'Repositories',
    'RepositorySettings',
    'RepositorySettingWriter',
    'Settings',
    'ToolRegistry',
  ],
  settings: mcpSettings,
  repositorySettings: mcpRepositorySettings,
  build: (context) => ({
    useCases: mcpUseCases({
      access: context.AccessDecision,
      settings: context.Settings,
      repositorySettings: context.RepositorySettings,
      settingWriter: context.RepositorySettingWriter,
      tools: offeredTools(context.ToolRegistry),
      log: context.log,
      urls: [context.instance.baseUrl, context.instance.webUrl],
    }),
    endpoint: mcpEndpoint({ version: context.instance.version }),
  }),
  routes: ({ useCases, endpoint }, { instance }) => [
    endpointRoute({ useCases, endpoint, baseUrl: () => instance.baseUrl }),
    ...switchRoutes(useCases, () => instance.baseUrl),
  ],
  pages: ({ useCases }, { instance }) => mcpPages(useCases, () => instance.baseUrl),
  tabs: () => mcpTabs,
  panels: ({ useCases }, { Repositories: repositories }) => mcpPanels(useCases, repositories),
});
