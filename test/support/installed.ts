// A packed and installed Hexforge in the place of the forge of this process, for specs that are run against one.
import { dirname, join } from 'node:path';
import { symlink } from 'node:fs/promises';
import tap from 'tap';
import type { Forge } from '#host/serve';
import { Command } from './command.ts';

/** What the environment says of it: its folder, and plugins of its configuration. */
const folder = process.env['HEXFORGE_TEST_INSTALLATION'];
const plugins = process.env['HEXFORGE_TEST_PLUGINS'] ?? '{}';

export const installed =
  folder === undefined ? undefined : { folder, plugins: JSON.parse(plugins) as Readonly<Record<string, object>> };

/** Of a forge that runs elsewhere there is what HTTP tells of it. */
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
