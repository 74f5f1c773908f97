// The command `hexforge plugins purge`: permanently removes the data of a disabled plugin, after showing it and asking.
import { askServer } from '../control/socket.ts';
import { didYouMean } from '../problems/nearest.ts';
import { refusal } from '../problems/problem.ts';
import { declined, examined, print, printTable, type Command } from './command.ts';
import { offline } from './offline.ts';

const rows = (count: number): string => (count === 1 ? '1 row' : `${count} rows`);

export const purge: Command = {
  name: 'plugins purge',
  takes: ['NAME'],
  summary: 'removes for good what a disabled plugin has stored, after showing it and asking',
  example: 'hexforge plugins purge bell',
  flags: { yes: { type: 'boolean', description: 'does not ask' } },
  async run(context) {
    const [name = ''] = context.positionals;
    const { configuration } = await examined(context);
    const known = configuration.plugins.map((plugin) => plugin.name);
    if (configuration.plugins.some((plugin) => plugin.name === name && plugin.enabled))
      throw refusal(
        'plugin_enabled',
        `Plugin "${name}" is enabled`,
        `Disable it first, with HEXFORGE_PLUGINS=-${name} or "enabled: false" in the configuration file`,
      );
    const answer = await askServer(configuration.dataDir, { ask: 'plugins' });
    if (answer !== undefined)
      throw refusal(
        'server_runs',
        `A server runs on ${configuration.dataDir} (pid ${answer.pid}), and plugins are purged while none does`,
        'Stop it, and try again',
      );
    return offline(context, configuration, async ({ storage }) => {
      if (storage.column === 'memory')
        throw refusal(
          'nothing_stored',
          'The database is "memory": no plugin has stored anything',
          'Unset HEXFORGE_DATABASE, and set DATABASE_URL if the data is not in the data directory',
        );
      const stored = await storage.purge.plugins();
      if (!stored.includes(name)) {
        if (!known.includes(name))
          throw refusal(
            'unknown_plugin',
            `No plugin "${name}" has stored anything`,
            didYouMean(name, stored, `These have: ${stored.join(', ') || 'none'}`),
          );
        print(context, `Plugin "${name}" has stored nothing`);
        return 0;
      }
      const { objects, records, held } = await storage.purge.remains(name, known);
      printTable(context, [
        ...objects.map((object) => [object.kind, object.name, object.rows === undefined ? '' : rows(object.rows)]),
        ...records.map((record) => ['records', record.table, rows(record.rows)]),
      ]);
      // If other plugins refer to the data, `purge` refuses, so there is nothing to confirm.
      const question = 'Remove all of this for good? [y/N] ';
      const texts = { question, go: 'all of this may go', kept: 'Nothing was removed' };
      const no = held.length === 0 ? await declined(context, texts) : undefined;
      if (no !== undefined) return no;
      await storage.purge.purge(name, known);
      print(context, `What plugin "${name}" had stored is gone`);
      return 0;
    });
  },
};
