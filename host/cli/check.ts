// The command `hexforge check`: prints everything wrong with the configuration and the machine, without a start.
import { preflightProblems } from '../check/preflight.ts';
import { exitRefused, sentence } from '../problems/problem.ts';
import { examine, print, remark, type Command } from './command.ts';

export const check: Command = {
  name: 'check',
  summary: 'prints all that is wrong with the configuration, each with its remedy',
  example: 'hexforge check --config /etc/hexforge.yaml',
  flags: { json: { type: 'boolean', description: 'one JSON object instead of lines' } },
  async run(context) {
    const { configuration, listed, problems: faults } = await examine(context);
    const problems = faults.length > 0 || listed === undefined ? faults : await preflightProblems(listed.plan);
    const plugins = listed?.plan.enabled.map(({ name }) => name) ?? [];
    for (const warning of listed?.warnings ?? []) remark(context, warning);
    if (context.flags['json'] === true)
      print(context, JSON.stringify({ ok: problems.length === 0, plugins, problems }));
    else if (problems.length === 0)
      print(
        context,
        `ok: ${plugins.length} plugins (${plugins.join(', ')}), ${configuration?.file ?? 'no configuration file'}`,
      );
    else {
      for (const problem of problems) print(context, `${problem.code}: ${sentence(problem)}`);
      print(context, problems.length === 1 ? '1 problem' : `${problems.length} problems`);
    }
    return problems.length === 0 ? 0 : exitRefused;
  },
};
