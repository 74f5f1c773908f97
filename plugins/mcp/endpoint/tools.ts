// The tools of all running plugins, as the use cases take them.
import type { ToolRegistry } from 'hexforge/plugin';
import type { OfferedTool } from '#core/mcp/use-cases';

export const offeredTools = (registry: ToolRegistry) => (): readonly OfferedTool[] =>
  registry.tools().map(({ plugin, tool, schemas, check }) => ({ ...tool, plugin, schemas, check }));
