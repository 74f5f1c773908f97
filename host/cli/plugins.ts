// The command `hexforge plugins`: lists the plugins and their states.
import type { PluginRecord } from '#core/kernel/services/plugin-inventory';
import { askServer } from '../control/socket.ts';
import { inventory } from '../boot/inventory.ts';
import { listPlugins } from '../loading/plugins.ts';
import { Refused, sentence } from '../problems/problem.ts';
import { examine, print, printTable, remark, type Command, type Context } from './command.ts';

export const plugins: Command = {
  name: 'plugins',
  summary: 'lists the plugins: where they come from, how they stand, what they provide and need',
  example: 'hexforge plugins --json',
  flags: { json: { type: 'boolean', description: 'a JSON array instead of a table, with all that each may do' } },
  async run(context) {
    const rows = await records(context);
    if (context.flags['json'] === true) print(context, JSON.stringify(rows));
    else
      printTable(context, [
        ['NAME', 'VERSION', 'ORIGIN', 'STATE', 'ROUTES', 'PROVIDES', 'NEEDS'],
        ...rows.map(({ name, version, origin, state, reason, routes, provides, needs, parked }) => [
          name,
          version ?? '-',
          origin,
          [reason === null ? state : `${state}: ${reason}`, ...(parked === 0 ? [] : [`${parked} parked`])].join(', '),
          String(routes.length),
          provides.join(' '),
          needs.join(' '),
        ]),
      ]);
    return 0;
  },
};

/**
 * Every plugin, with the state from the running server, or else from the configuration. Problems that belong to no
 * single plugin are printed.
 * @param loaded The name of a plugin to load even if it is disabled.
 */
export async function records(context: Context, loaded?: string): Promise<readonly PluginRecord[]> {
  const { configuration, listed, problems } = await examine(context);
  if (configuration === undefined || listed === undefined) throw new Refused(problems);
  const answer = await askServer(configuration.dataDir, { ask: 'plugins' });
  remark(
    context,
    answer === undefined
      ? `No server runs on ${configuration.dataDir}: this is what the configuration says`
      : `This is how the running server (pid ${answer.pid}) stands`,
  );
  for (const problem of problems) if (problem.plugin === undefined) remark(context, sentence(problem));
  const local = inventory(listed.plan, (name) => {
    const problem = problems.find(({ plugin }) => plugin === name);
    return problem === undefined
      ? { state: 'checked' }
      : { state: 'rejected', reason: problem.message, remedy: problem.remedy };
  });
  const live = (answer?.value as readonly PluginRecord[] | undefined) ?? [];
  const names = [...new Set([...local, ...live].map(({ name }) => name))];
  const known = names.flatMap((name): readonly PluginRecord[] => {
    const [here, there] = [local, live].map((rows) => rows.find((row) => row.name === name));
    if (here === undefined || there !== undefined) return there === undefined ? [] : [{ ...here, ...there }];
    return [answer === undefined ? here : { ...here, enabled: false, state: 'disabled', reason: null, remedy: null }];
  });
  const off = known.find(({ name, state }) => name === loaded && state === 'disabled');
  if (off === undefined) return known;
  const switchedOn = configuration.plugins.map((plugin) =>
    plugin.name === loaded ? { ...plugin, enabled: true } : plugin,
  );
  const on = await listPlugins({ ...configuration, plugins: switchedOn });
  return inventory(on.plan, (name) => {
    const problem = on.problems.find(({ plugin }) => plugin === name);
    return {
      state: name === loaded ? 'disabled' : 'checked',
      reason: problem?.message,
      remedy: problem?.remedy,
    };
  }).map((row) => (row.name === loaded ? { ...row, enabled: false } : row));
}
