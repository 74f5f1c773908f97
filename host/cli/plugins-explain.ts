// The command `hexforge plugins explain NAME`: prints what one plugin may do, before it runs.
import type { PluginRecord } from '#core/kernel/services/plugin-inventory';
import { didYouMean } from '../problems/nearest.ts';
import { refusal, stopped } from '../problems/problem.ts';
import { print, table, type Command } from './command.ts';
import { records } from './plugins.ts';

export const pluginsExplain: Command = {
  name: 'plugins explain',
  takes: ['NAME'],
  summary:
    'tells what a plugin may do: ports, routes, tables, events, settings, hosts; one that is off is loaded for it',
  example: 'hexforge plugins explain identity',
  flags: { json: { type: 'boolean', description: 'one JSON object instead of lines' } },
  async run(context) {
    const [name = ''] = context.positionals;
    const all = await records(context, name);
    const record = all.find((plugin) => plugin.name === name);
    if (record === undefined)
      throw refusal(
        'unknown_plugin',
        `The configuration has no plugin "${name}"`,
        didYouMean(
          name,
          all.map((plugin) => plugin.name),
          'hexforge plugins lists all',
        ),
      );
    if (context.flags['json'] === true) print(context, JSON.stringify(record));
    else for (const line of explanation(record)) print(context, line);
    return 0;
  },
};

function explanation(record: PluginRecord): readonly string[] {
  const { name, version, origin, state, reason, remedy, routes, events, jobs, untold } = record;
  const rows: readonly (readonly [what: string, items: readonly string[]])[] = [
    ['provides', record.provides],
    ['needs', record.needs.map((port) => (record.late.includes(port) ? `${port} (late)` : port))],
    [
      'routes',
      routes.map(
        ({ method, path, access, scope }) => `${method} ${path}  ${access}${scope === null ? '' : `, scope ${scope}`}`,
      ),
    ],
    ['tables', record.tables],
    ['references', record.references],
    ['config', record.config],
    ['environment', record.environment],
    ['settings', [...record.settings, ...record.repository_settings.map((key) => `${key} (of repositories)`)]],
    ['reads', record.reads],
    ['handles', events.handles],
    ['emits', events.emits],
    ['audits', record.audits],
    ['jobs', jobs.map((job) => `${job.name}, every ${job.seconds} s`)],
    ['probes', record.probes],
    ['permissions', record.permissions],
    ['scopes', record.scopes],
    ['tools', record.tools],
    ['indexers', record.indexers],
    ['pages', record.pages],
    ['channels', record.channels],
    ['outbound', record.outbound.map((host) => `${host} (told, not enforced)`)],
  ];
  const standing = reason === null ? state : `${state}: ${reason}`;
  const mend = remedy === null ? [] : [`  ${stopped(remedy)}`];
  if (version === null)
    return [`${name}, ${origin}, ${standing}`, ...mend, '  What it may do is not known: it was not loaded'];
  return [
    `${name} ${version}, ${origin}, ${standing}`,
    ...mend,
    ...table(
      rows.flatMap(([what, items]) =>
        items.length === 0
          ? [[`  ${what}`, untold.includes(what === 'handles' ? 'events' : what) ? 'known once it is built' : '-']]
          : items.map((item, index) => [index === 0 ? `  ${what}` : '', item]),
      ),
    ),
  ];
}
