// Validates the plugins' own configuration and the settings. Also returns the configuration with its defaults, for the
// build.
import Joi from 'joi';
import { settingProblems } from '../contributions/settings.ts';
import type { PluginDefinition } from '../plugin/definition.ts';
import { validated } from '../configuration/validated.ts';
import type { Plan } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';
import { firstLine, readable } from '../problems/thrown.ts';

export function configurationProblems(plan: Plan): readonly Problem[] {
  return [
    ...plan.enabled.flatMap((definition) => pluginConfiguration(definition, plan.configOf(definition.name)).problems),
    ...settingProblems(plan),
  ];
}

const nothing: Joi.ObjectSchema = Joi.object({});

/** Validates the plugin's part of the configuration and applies defaults. */
export function pluginConfiguration(
  definition: PluginDefinition,
  raw: Readonly<Record<string, unknown>>,
): { readonly value: unknown; readonly problems: readonly Problem[] } {
  const { name: plugin, config = nothing } = definition;
  try {
    return validated(config, raw, { prefix: `plugins.${plugin}`, code: 'bad_configuration', plugin });
  } catch (error) {
    const problem = {
      code: 'bad_member',
      plugin,
      message: `The definition of plugin "${plugin}" has "config", which cannot be used: ${firstLine(readable(error).message)}`,
      remedy: 'Let it hold rules that are checked at once, without `external`',
    };
    return { value: {}, problems: [problem] };
  }
}
