// Checks single definitions: name, version and plugin API.
import type Joi from 'joi';
import satisfies from 'semver/functions/satisfies.js';
import validVersion from 'semver/functions/valid.js';
import validRange from 'semver/ranges/valid.js';
import { system } from '#adapters/postgres/migrations/ownership';
import { hostPluginKeys } from '#host/configuration/schema';
import { copyOf, PLUGIN_API_VERSION, thisCopy } from '../plugin/definition.ts';
import { fileIn, isCritical, portsOf, traitsOf, type Plan } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';

const namePattern = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The problem of a plugin's name; undefined if the name is valid. */
export const nameProblem = (name: string): Problem | undefined =>
  namePattern.test(name)
    ? undefined
    : {
        code: 'plugin_name',
        message: `"${name}" is not a plugin name`,
        remedy: 'Name it with lower-case words joined by hyphens',
      };

/** Looks up a single key, because describing the whole schema is slow. */
function hasKey(schema: Joi.ObjectSchema | undefined, key: string): boolean {
  try {
    schema?.extract(key);
    return schema !== undefined;
  } catch {
    return false;
  }
}

export function definitionProblems(plan: Plan): readonly Problem[] {
  const { enabled } = plan;
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const definition of enabled) {
    const plugin = definition.name;
    const report = (code: string, message: string, remedy: string): unknown =>
      problems.push({ code, plugin, message, remedy });
    if (seen.has(plugin))
      report(
        'duplicate_plugin',
        `Two plugins are named "${plugin}"`,
        'Remove one of them from the configuration, or rename it in its definition',
      );
    seen.add(plugin);
    if (plugin === system)
      report(
        'plugin_name',
        `No plugin can be named "${system}": what starts so in the database is the forge's own`,
        'Name it otherwise',
      );
    const misnamed = nameProblem(plugin);
    if (misnamed !== undefined) problems.push({ ...misnamed, plugin });
    const copy = copyOf(definition);
    if (copy !== undefined && copy !== thisCopy)
      report(
        'another_copy',
        `Plugin "${plugin}"${fileIn(plan, plugin)} was defined with another copy of "hexforge/plugin" (plugin API ${copy.api}) than the one that runs, which would not know its errors and answers for what they are`,
        'Leave hexforge/* out of its bundle, or let both import the one that is installed',
      );
    if (validVersion(definition.version) === null)
      report(
        'plugin_version',
        `Plugin "${plugin}" has the version "${definition.version}", which is no semantic version`,
        'Give it one such as 1.0.0',
      );
    if (validRange(definition.api) === null) {
      report(
        'incompatible_api',
        `Plugin "${plugin}"${fileIn(plan, plugin)} asks for the plugin API "${definition.api}", which is no semver range`,
        `Write a range such as ^${PLUGIN_API_VERSION}`,
      );
    } else if (!satisfies(PLUGIN_API_VERSION, definition.api, { includePrerelease: true })) {
      report(
        'incompatible_api',
        `Plugin "${plugin}"${fileIn(plan, plugin)} asks for the plugin API ${definition.api}; this is ${PLUGIN_API_VERSION}`,
        `Install a version of "${plugin}" made for ${PLUGIN_API_VERSION}, or disable it with HEXFORGE_PLUGINS=-${plugin}`,
      );
    }
    for (const key of hostPluginKeys.filter((name) => hasKey(definition.config, name))) {
      report(
        'reserved_key',
        `Plugin "${plugin}" has a configuration key "${key}", which is the host's`,
        'Give the key of the plugin another name',
      );
    }
    if (definition.onFailure === 'isolate' && isCritical(definition)) {
      const port = portsOf(definition).find((name) => traitsOf(name)?.critical === true) ?? '';
      report(
        'isolated_critical',
        `Plugin "${plugin}" asks to be isolated when it fails, but provides the security-critical port ${port}`,
        'Remove `onFailure: "isolate"` from its definition: without it the forge must not run',
      );
    }
  }
  return problems;
}
