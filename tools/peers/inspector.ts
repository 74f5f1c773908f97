// Installs MCP Inspector for the tests: its command line is a client of the MCP endpoint that others maintain.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from './machine.ts';

const version = '2.12.0';

/** Installs MCP Inspector if it is missing, and returns the path of its program. @throws {Error} */
export function ensureInspector(): string {
  const caches = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'hexforge-tests');
  const folder = join(caches, `inspector-${version}`);
  const program = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  if (existsSync(program)) return program;
  mkdirSync(caches, { recursive: true });
  const unfinished = mkdtempSync(join(caches, 'unfinished-'));
  try {
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--silent'];
    run('npm', ['install', ...options, '--prefix', unfinished, `@modelcontextprotocol/inspector@${version}`]);
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(program)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return program;
}
