// Checks events, audit actions and settings of other plugins: names that no running plugin declares, and names that
// belong to another plugin.
import { typesOf } from '#core/kernel/storage/events';
import type { PluginDefinition } from '../plugin/definition.ts';
import { didYouMean } from '../problems/nearest.ts';
import { offIn, type Plan } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';
import type { Contributed } from './contributions.ts';
import { enabling, wanted } from './ports.ts';

/** The problems of `emits`, `audits` and `reads`. */
export function emissionProblems(plan: Plan): readonly Problem[] {
  const settings = declaredIn(plan, ({ settings = [] }) => settings.map(({ key }) => key));
  return plan.enabled.flatMap(({ name: plugin, emits = [], audits = [], reads = [] }) => [
    ...foreign(plan, plugin, emits, { code: 'event_name', does: 'emits' }),
    ...foreign(plan, plugin, audits, { code: 'audit_name', does: 'appends audit entries' }),
    ...reads
      .filter((key) => !settings.running.has(key))
      .map((key): Problem => {
        const owners = settings.off(key);
        return {
          code: 'unknown_read',
          plugin,
          message: `Plugin "${plugin}" says it reads the setting "${key}", which no ${owners.length === 0 ? '' : 'enabled '}plugin declares`,
          remedy:
            owners.length === 0
              ? didYouMean(key, settings.running, 'Install the plugin that declares it, or remove it from `reads`')
              : `${enabling(owners)}, or disable the plugin with HEXFORGE_PLUGINS=-${plugin}`,
        };
      }),
  ]);
}

/** The names of an external plugin that do not begin with its own name. */
const foreign = (
  plan: Plan,
  plugin: string,
  names: readonly string[],
  { code, does }: { readonly code: string; readonly does: string },
): readonly Problem[] =>
  names
    .filter((name) => plan.isOutside(plugin) && !name.startsWith(`${plugin}.`))
    .map((name) => ({
      code,
      plugin,
      message: `Plugin "${plugin}" says it ${does} "${name}", which does not start with the plugin's name`,
      remedy: `Name it "${plugin}.${name.slice(name.indexOf('.') + 1)}"`,
    }));

/**
 * The problems of the event types of subscriptions, channels and indexers. A channel or an indexer may follow events of
 * a plugin that is switched off: its other events still arrive.
 */
export function heardProblems(plan: Plan, listed: readonly Contributed[]): readonly Problem[] {
  const types = declaredIn(plan, ({ emits = [] }) => emits);
  return listed.flatMap(({ plugin, contributions: { events, channels, indexers } }) =>
    [
      ...events
        .filter(({ optional }) => optional !== true)
        .flatMap((one) => typesOf(one).map((type) => ({ type, by: `subscription "${one.name}"`, must: true }))),
      ...channels.flatMap(({ id, follows }) => follows.map((type) => ({ type, by: `channel "${id}"`, must: false }))),
      ...indexers.flatMap(({ name, follows }) =>
        follows.map((type) => ({ type, by: `indexer "${name}"`, must: false })),
      ),
    ]
      .filter(({ type, must }) => !types.running.has(type) && (must || types.off(type).length === 0))
      .map(({ type, by, must }): Problem => {
        const owners = types.off(type);
        const soft = must ? ', or mark it `optional: true`' : '';
        return {
          code: 'unknown_event',
          plugin,
          message: `The ${by} of plugin "${plugin}" is to events of type "${type}", which no ${owners.length === 0 ? '' : 'enabled '}plugin emits`,
          remedy:
            owners.length === 0
              ? didYouMean(type, types.running, `Install the plugin that emits them${soft}`)
              : `${enabling(owners)}, disable the plugin with HEXFORGE_PLUGINS=-${plugin}${soft}`,
        };
      }),
  );
}

interface DeclaredNames {
  /**
   * The names that running plugins declare. If a required port has no provider, the names of the disabled provider are
   * included, because only the port is reported then.
   */
  readonly running: ReadonlySet<string>;
  /** The disabled plugins that declare a name. An external one is not loaded: it owns names that begin with its own. */
  off(name: string): readonly string[];
}

function declaredIn(plan: Plan, namesOf: (definition: PluginDefinition) => readonly string[]): DeclaredNames {
  return {
    running: new Set([...plan.enabled, ...wanted(plan)].flatMap(namesOf)),
    off(name) {
      const loaded = plan.disabled.filter((definition) => namesOf(definition).includes(name)).map((one) => one.name);
      if (loaded.length > 0) return loaded;
      return [...offIn(plan)].filter((plugin) => plan.isOutside(plugin) && name.startsWith(`${plugin}.`));
    },
  };
}
