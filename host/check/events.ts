// Checks events, and settings of other plugins: types and keys that no plugin declares, and names that belong to
// another plugin.
import type { PluginDefinition } from '../plugin/definition.ts';
import { didYouMean } from '../problems/nearest.ts';
import type { Plan } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';
import type { Contributed } from './contributions.ts';

/** The problems of `emits` and `reads`. */
export function emissionProblems(plan: Plan): readonly Problem[] {
  const keys = new Set(known(plan, ({ settings = [] }) => settings.map(({ key }) => key)));
  return plan.enabled.flatMap(({ name: plugin, emits = [], reads = [] }) => [
    ...emits
      .filter((type) => plan.isOutside(plugin) && !type.startsWith(`${plugin}.`))
      .map((type): Problem => ({
        code: 'event_name',
        plugin,
        message: `Plugin "${plugin}" says it emits "${type}", which does not start with the plugin's name`,
        remedy: `Name it "${plugin}.${type.slice(type.indexOf('.') + 1)}"`,
      })),
    ...reads
      .filter((key) => !keys.has(key))
      .map((key): Problem => ({
        code: 'unknown_read',
        plugin,
        message: `Plugin "${plugin}" says it reads the setting "${key}", which no plugin declares`,
        remedy: didYouMean(key, keys, 'Install the plugin that declares it, or remove it from `reads`'),
      })),
  ]);
}

/** The problems of the event types of subscriptions, channels and indexers. */
export function heardProblems(plan: Plan, listed: readonly Contributed[]): readonly Problem[] {
  const types = new Set(known(plan, ({ emits = [] }) => emits));
  return listed.flatMap(({ plugin, contributions: { events, channels, indexers } }) =>
    [
      ...events
        .filter(({ optional }) => optional !== true)
        .map(({ type, name }) => ({ type, by: `subscription "${name}"`, soft: ', or mark it `optional: true`' })),
      ...channels.flatMap(({ id, follows }) => follows.map((type) => ({ type, by: `channel "${id}"`, soft: '' }))),
      ...indexers.flatMap(({ name, follows }) => follows.map((type) => ({ type, by: `indexer "${name}"`, soft: '' }))),
    ]
      .filter(({ type }) => !types.has(type))
      .map(({ type, by, soft }): Problem => ({
        code: 'unknown_event',
        plugin,
        message: `The ${by} of plugin "${plugin}" is to events of type "${type}", which no plugin emits`,
        remedy: didYouMean(type, types, `Install the plugin that emits them${soft}`),
      })),
  );
}

/** The names declared by every loaded plugin, enabled or not. */
const known = ({ enabled, disabled }: Plan, namesOf: (definition: PluginDefinition) => readonly string[]) =>
  [...enabled, ...disabled].flatMap(namesOf);
