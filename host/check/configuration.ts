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
    ...plan.enabled.flatMap((definition) => {
      const { name } = definition;
      return pluginConfiguration(definition, plan.configOf(name), (key) => plan.setBy?.(name, key)).problems;
    }),
    ...settingProblems(plan),
  ];
}

const nothing: Joi.ObjectSchema = Joi.object({});

/** The environment variables that set a key of the plugin. */
const variablesOf = ({ environment = {} }: PluginDefinition, key: string): readonly string[] =>
  Object.keys(environment).filter((variable) => environment[variable] === key);

/** Validates the plugin's part of the configuration and applies defaults. */
export function pluginConfiguration(
  definition: PluginDefinition,
  raw: Readonly<Record<string, unknown>>,
  setBy?: (key: string) => string | undefined,
): { readonly value: unknown; readonly problems: readonly Problem[] } {
  const { name: plugin, config = nothing } = definition;
  try {
    return validated(config, raw, {
      prefix: `plugins.${plugin}`,
      code: 'bad_configuration',
      plugin,
      variablesOf: (key) => variablesOf(definition, key),
      setBy,
    });
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
