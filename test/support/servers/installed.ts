// Runs specs against a packed and installed Hexforge instead of the forge of this process.
import { dirname, join } from 'node:path';
import { symlink } from 'node:fs/promises';
import tap from 'tap';
import type { Forge } from '#host/server/serve';
import { Command } from './command.ts';

/** The folder of the installation and the plugins of its configuration, from the environment. */
const folder = process.env['HEXFORGE_TEST_INSTALLATION'];
const plugins = process.env['HEXFORGE_TEST_PLUGINS'] ?? '{}';

export const installed =
  folder === undefined ? undefined : { folder, plugins: JSON.parse(plugins) as Readonly<Record<string, object>> };

/** Starts the installed program. The returned forge has only the functions that HTTP offers. */
export async function startInstalled(
  home: string,
  environment: Readonly<Record<string, string>> & { readonly HEXFORGE_CONFIG: string },
): Promise<{ forge: Forge; stdout: { readonly text: string }; stderr: { readonly text: string } }> {
  const cwd = dirname(environment.HEXFORGE_CONFIG);
  await symlink(join(home, 'node_modules'), join(cwd, 'node_modules')).catch(() => undefined);
  const command = new Command(tap, ['serve'], {
    cwd,
    program: join(home, 'node_modules/hexforge/bin/hexforge.js'),
    environment,
  });
  const url = await command.listening();
  const document = (await (await fetch(`${url}/api/v1/openapi.json`)).json()) as object;
  const here: Pick<Forge, 'url' | 'openapi' | 'stop'> = {
    url,
    openapi: async () => document,
    async stop() {
      command.signal('SIGTERM');
      await command.ended();
    },
  };
  return {
    forge: here as Forge,
    stdout: {
      get text() {
        return command.stdout;
      },
    },
    stderr: {
      get text() {
        return command.stderr;
      },
    },
  };
}
