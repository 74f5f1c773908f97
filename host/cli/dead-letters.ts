// The commands that list, retry and discard dead letters: `hexforge plugins parked`, `replay` and `drop`.
import type { Configuration } from '#host/configuration/configuration';
import type { Deliveries } from '#core/kernel/storage/storage';
import { askServer } from '../control/socket.ts';
import {
  deadLetterAction,
  deadLetterReport,
  type DeadLetterOutcome,
  type DeadLetterReport,
} from '../storage/dead-letters.ts';
import { declined, examined, print, printTable, remark, type Command, type Context } from './command.ts';
import { offline } from './offline.ts';

/** Asks the running server; if there is no server, opens the database. */
async function ask<T>(
  context: Context,
  configuration: Configuration,
  request: Parameters<typeof askServer>[1],
  otherwise: (deliveries: Deliveries) => Promise<T>,
): Promise<T> {
  const answer = await askServer(configuration.dataDir, request);
  if (answer !== undefined) return answer.value as T;
  remark(context, `No server runs on ${configuration.dataDir}: opening the database`);
  return offline(context, configuration, async ({ storage }) => {
    // Migrates only the system's own tables, and no plugin's.
    if (storage.column === 'sql') await storage.migrate([]);
    return otherwise(storage.deliveries);
  });
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

export const parked: Command = {
  name: 'plugins parked',
  summary: 'lists the events that handlers failed at too often, and what waits for plugins that are off',
  example: 'hexforge plugins parked --json',
  flags: { json: { type: 'boolean', description: 'one JSON object instead of a table' } },
  async run(context) {
    const { configuration } = await examined(context);
    const report: DeadLetterReport = await ask(context, configuration, { ask: 'parked' }, deadLetterReport);
    if (context.flags['json'] === true) {
      print(context, JSON.stringify(report));
      return 0;
    }
    const { events, subscriptions } = report;
    if (events.length === 0) print(context, 'no event is parked');
    else
      printTable(context, [
        ['PLUGIN', 'HANDLER', 'EVENT', 'TYPE', 'SINCE', 'ATTEMPTS', 'ERROR'],
        ...events.map((one) => [
          one.plugin,
          one.subscription,
          one.event,
          one.type,
          // A date is text if it came over the socket.
          new Date(one.parkedAt).toISOString(),
          String(one.attempts),
          one.error.split('\n', 1)[0] ?? '',
        ]),
      ]);
    const total = subscriptions.reduce((sum, one) => sum + one.parked, 0);
    if (total > events.length) print(context, `and ${total - events.length} more`);
    const on = new Set(configuration.plugins.filter(({ enabled }) => enabled).map(({ name }) => name));
    for (const { plugin, subscription, waiting, missed } of subscriptions) {
      if (missed === 0 && (waiting === 0 || on.has(plugin))) continue;
      const rest = missed === 0 ? '' : `, ${counted(missed, 'event')} it missed`;
      print(context, `${plugin} ${subscription}: ${counted(waiting, 'event')} kept for it${rest}`);
    }
    return 0;
  },
};

export const replay: Command = {
  name: 'plugins replay',
  takes: ['NAME'],
  may: ['EVENT'],
  summary: 'hands parked events of a plugin to its handlers again, all or one',
  example: 'hexforge plugins replay bell',
  run: (context) => act(context, 'replay'),
};

export const drop: Command = {
  name: 'plugins drop',
  takes: ['NAME'],
  may: ['EVENT'],
  summary: 'gives parked events of a plugin up, all or one, after asking',
  example: 'hexforge plugins drop bell --yes',
  flags: { yes: { type: 'boolean', description: 'does not ask' } },
  async run(context) {
    const [name = '', event] = context.positionals;
    const which = event === undefined ? `All parked events of "${name}" go` : `The event ${event} goes`;
    const no = await declined(context, {
      question: `${which} for good: "${name}" will never see what they told. Drop? [y/N] `,
      go: 'they may go for good',
      kept: 'Nothing was dropped',
    });
    if (no !== undefined) return no;
    return act(context, 'drop');
  },
};

async function act(context: Context, action: 'replay' | 'drop'): Promise<number> {
  const { configuration } = await examined(context);
  const argument = context.positionals.join(' ');
  const [name = '', event] = context.positionals;
  const request = { ask: action, argument };
  const { done, left }: DeadLetterOutcome = await ask(context, configuration, request, (deliveries) =>
    deadLetterAction(deliveries, action, argument),
  );
  const verb = action === 'replay' ? 'will be handed to its handlers again' : 'dropped';
  if (done > 0) print(context, `${counted(done, 'event')} of "${name}" ${verb}`);
  else if (event !== undefined || left === 0)
    print(context, `No such event is parked for "${name}". hexforge plugins parked lists them.`);
  if (action === 'replay' && left > 0 && event === undefined)
    print(
      context,
      `${counted(left, 'event')} of "${name}" stay parked: their handlers are no longer there, or failed meanwhile. Give them up with hexforge plugins drop ${name}.`,
    );
  return done > 0 ? 0 : 1;
}
