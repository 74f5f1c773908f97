// The routes of the MCP endpoint's descriptor and switch.
import { api, flag, list, shape, word, type Route, type TypeOf } from 'hexforge/plugin';
import { mcpResource } from 'hexforge/oauth';
import type { McpDescriptor, McpUseCases } from '#core/mcp/use-cases';
import { readsAsUser, switches } from '../access.ts';

const descriptorJson = shape({
  server_url: word().description('The endpoint, for MCP clients'),
  capabilities: list(word()).description('The families of tools'),
  enabled: flag().description('Whether the repository allows it'),
  instance_enabled: flag().description('Whether the instance allows it; both are needed'),
}).id('McpDescriptor');

const presentDescriptor = (
  { repository: { owner, name }, capabilities, enabled, instanceEnabled }: McpDescriptor,
  baseUrl: string,
): TypeOf<typeof descriptorJson> => ({
  server_url: mcpResource(baseUrl, owner, name),
  capabilities,
  enabled,
  instance_enabled: instanceEnabled,
});

const path = '/repos/{owner}/{repo}/mcp';

export const switchRoutes = (useCases: McpUseCases, baseUrl: () => string): readonly Route[] => [
  api({
    id: 'mcpInfo',
    summary: 'Where assistants read a repository over MCP, and whether they can',
    method: 'GET',
    path: `${path}/info`,
    access: readsAsUser,
    scope: 'repo.read',
    result: descriptorJson,
    run: async (_call, { granted }) => presentDescriptor(await useCases.describe(granted), baseUrl()),
  }),
  api({
    id: 'mcpSettings',
    summary: 'Allow or forbid MCP for one repository',
    method: 'PUT',
    path: `${path}/settings`,
    access: switches,
    scope: 'repo.admin',
    body: shape({ enabled: flag().strict() }).id('McpSettings'),
    result: descriptorJson,
    run: async (_call, { granted, body }) => presentDescriptor(await useCases.change(granted, body), baseUrl()),
  }),
];
