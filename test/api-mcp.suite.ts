// The HTTP specs of MCP.
import { run } from './suites.ts';

await run('api-mcp');
