// A forge in a separate process that rotates its secret key repeatedly until it is killed; and the plugin with its
// secret settings.
import { definePlugin, type SettingSpec } from 'hexforge/plugin';
import { loadConfiguration } from '#host/configuration/load';
import { openForge, migrate } from '#host/server/forge';
import { openLog } from '#host/server/log';
import { rotateKey } from '#host/control/rotation';

/** The number of secret settings. */
export const secrets = 200;
export const secretKeyOf = (index: number): string => `safe.secret_${index}`;

export const safe = definePlugin({
  name: 'safe',
  version: '1.0.0',
  api: '*',
  settings: Array.from({ length: secrets }, (_, index) => ({
    key: secretKeyOf(index),
    type: 'string',
    default: '',
    sensitive: true,
    description: 'A secret',
  })) as unknown as readonly SettingSpec[],
});

if (import.meta.main) {
  const configuration = await loadConfiguration({ environment: process.env, cwd: process.cwd() });
  const open = await openForge(configuration, {
    definitions: [safe],
    announce: () => undefined,
    logOf: openLog('silent', process.stderr),
  });
  await migrate(open);
  await open.machine.build();
  process.stdout.write('rotating\n');
  for (;;) await rotateKey(open.machine.container, open.secretKeys);
}
