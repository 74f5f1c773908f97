// The problems of the machine that plugins find before anything runs, for the command `check`.
import type { PluginDefinition } from '../plugin/definition.ts';
import type { Plan } from '../plugin/plan.ts';
import { within } from '../problems/deadline.ts';
import type { Problem } from '../problems/problem.ts';
import { reasonOf } from '../problems/thrown.ts';
import { pluginConfiguration } from './configuration.ts';

const waitMs = 10_000;

async function problemsOf(
  definition: PluginDefinition,
  raw: Readonly<Record<string, unknown>>,
): Promise<readonly Problem[]> {
  const { name: plugin, preflight } = definition;
  const { value, problems } = pluginConfiguration(definition, raw);
  if (preflight === undefined || problems.length > 0) return [];
  try {
    const found = await within(waitMs, 'its check of the machine', () => preflight(value));
    return found.map(({ message, remedy }) => ({ code: 'machine', plugin, message, remedy }));
  } catch (error) {
    const message = `The plugin "${plugin}" cannot check the machine: ${reasonOf(error)}`;
    return [
      { code: 'machine', plugin, message, remedy: `Mend it, or disable the plugin with HEXFORGE_PLUGINS=-${plugin}` },
    ];
  }
}

/** Of all enabled plugins, in their order. */
export const preflightProblems = async (plan: Plan): Promise<readonly Problem[]> =>
  (await Promise.all(plan.enabled.map((definition) => problemsOf(definition, plan.configOf(definition.name))))).flat();
