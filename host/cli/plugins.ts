// `hexforge plugins`: what is enabled and how it stands.
import { askServer } from '../control.ts';
import { portsOf } from '../plan.ts';
import { Refused } from '../problem.ts';
import type { PluginReport } from '../serve.ts';
import { examine, print, remark, table, type Command } from './command.ts';

interface Row {
  readonly name: string;
  readonly version: string | null;
  readonly enabled: boolean;
  readonly state: string;
  readonly reason: string | null;
  readonly provides: readonly string[];
  /** Events its handlers failed at too often. */
  readonly parked: number;
}

export const plugins: Command = {
  name: 'plugins',
  summary: 'lists the plugins: which are enabled, what they provide, how they stand',
  example: 'hexforge plugins --json',
  flags: { json: { type: 'boolean', description: 'a JSON array instead of a table' } },
  async run(context) {
    const { configuration, listed, problems } = await examine(context);
    if (configuration === undefined || listed === undefined) throw new Refused(problems);
    const answer = await askServer(configuration.dataDir, { ask: 'plugins' });
    remark(
      context,
      answer === undefined
        ? `No server runs on ${configuration.dataDir}: this is what the configuration says`
        : `This is how the running server (pid ${answer.pid}) stands`,
    );
    const live = new Map(
      ((answer?.value as readonly PluginReport[] | undefined) ?? []).map((report) => [report.name, report]),
    );
    const rows = configuration.plugins.map(({ name, enabled }): Row => {
      const definition = listed.plan.enabled.find((candidate) => candidate.name === name);
      const problem = problems.find(({ plugin }) => plugin === name);
      const report = live.get(name);
      const offline = !enabled ? 'disabled' : problem === undefined ? 'checked' : 'rejected';
      return {
        name,
        enabled,
        version: report?.version ?? definition?.version ?? null,
        state: answer === undefined ? offline : (report?.state ?? 'disabled'),
        reason: report?.reason ?? (answer === undefined ? problem?.message : undefined) ?? null,
        provides: definition === undefined ? [] : portsOf(definition),
        parked: report?.parked ?? 0,
      };
    });
    if (context.flags['json'] === true) print(context, JSON.stringify(rows));
    else
      for (const line of table([
        ['NAME', 'VERSION', 'STATE', 'PROVIDES'],
        ...rows.map(({ name, version, state, reason, provides, parked }) => [
          name,
          version ?? '-',
          [reason === null ? state : `${state}: ${reason}`, ...(parked === 0 ? [] : [`${parked} parked`])].join(', '),
          provides.join(' '),
        ]),
      ]))
        print(context, line);
    return 0;
  },
};
