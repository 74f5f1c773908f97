// Installs MCP Inspector for the tests: its command line is a client of the MCP endpoint that others maintain.
import { join } from 'node:path';
import { cachedFolder, run } from './machine.ts';

const version = '2.12.0';

/** Installs MCP Inspector if it is missing, and returns the path of its program. @throws {Error} */
export function ensureInspector(): string {
  const folder = cachedFolder(`inspector-${version}`, (unfinished) => {
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--silent'];
    run('npm', ['install', ...options, '--prefix', unfinished, `@modelcontextprotocol/inspector@${version}`]);
  });
  return join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
}
