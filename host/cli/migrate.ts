// The command `hexforge migrate`: applies pending migrations without serving.
import { askServer } from '../control/socket.ts';
import { examined, print, remark, type Command } from './command.ts';
import { offline } from './offline.ts';
import { sentence } from '../problems/problem.ts';

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
    const { migrate: migrateForge } = await import('../server/forge.ts');
    const outcomes = await offline(context, configuration, (open) =>
      dry ? open.machine.pending() : migrateForge(open),
    );
    for (const { plugin, steps, refused } of outcomes) {
      for (const name of steps) print(context, `${dry ? 'pending' : 'applied'} ${plugin} ${name}`);
      if (refused !== undefined) print(context, `refused ${plugin}: ${sentence(refused)}`);
    }
    if (outcomes.length === 0) print(context, 'nothing is pending');
    return outcomes.some(({ refused }) => refused !== undefined) ? 1 : 0;
  },
};
