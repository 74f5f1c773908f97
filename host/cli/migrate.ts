// `hexforge migrate`: brings the database to this version without serving.
import { askServer } from '../control.ts';
import { migrate as migrateForge } from '../forge.ts';
import { migrationsOf } from '../storage.ts';
import { examined, print, remark, type Command } from './command.ts';
import { offline } from './offline.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'applies the pending migrations without serving; a start does the same',
  example: 'hexforge migrate --dry-run',
  flags: { 'dry-run': { type: 'boolean', description: 'only says what is pending' } },
  async run(context) {
    const { configuration } = await examined(context);
    const answer = await askServer(configuration.dataDir, { ask: 'plugins' });
    if (answer !== undefined) {
      print(context, `The running server (pid ${answer.pid}) migrated when it started: nothing to do`);
      return 0;
    }
    const dry = context.flags['dry-run'] === true;
    remark(context, `No server runs on ${configuration.dataDir}: opening the database`);
    const steps = await offline(context, configuration, async (open) => {
      if (!dry) return migrateForge(open);
      return open.storage.column === 'sql'
        ? open.storage.pending(migrationsOf(open.machine.lives.map(({ definition }) => definition)))
        : [];
    });
    for (const { plugin, name } of steps) print(context, `${dry ? 'pending' : 'applied'} ${plugin} ${name}`);
    if (steps.length === 0) print(context, 'nothing is pending');
    return 0;
  },
};
