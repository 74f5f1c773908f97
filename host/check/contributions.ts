// Lists the contributions of a plugin by calling its builders: with placeholders before the build, and with the real
// parts after it. Both results must agree.
import type { Route } from '#adapters/http/descriptor/route';
import type { Subscription } from '#core/kernel/storage/events';
import { Internal } from '#core/kernel/errors';
import type { Contributions } from '../plugin/contributions.ts';
import type { PluginDefinition } from '../plugin/definition.ts';
import type { Indexer } from '../plugin/indexers.ts';
import type { Plan } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';
import { pluginConfiguration } from './configuration.ts';
import * as shapes from './contribution-shapes.ts';
import { kindOf, unawaited } from '../problems/values.ts';
import type { Fault, Shape } from './shape.ts';
import { firstLine, readable } from '../problems/thrown.ts';
import { placeholder, UsedTooEarly } from './placeholders.ts';

/** The contributions of one plugin. */
export interface Contributed {
  readonly plugin: string;
  readonly contributions: Contributions;
}

/** The contributions of a plugin before it is built. */
export interface Listed extends Contributed {
  /** The kinds of contributions that cannot be listed before the plugin is built. */
  readonly untold: readonly Kind[];
  readonly problems: readonly Problem[];
}

type Kind = keyof Contributions;

interface KindOf<T> {
  /** The word for one of them in messages. */
  readonly what: string;
  readonly shape: Shape;
  /** The member that identifies one of them. */
  readonly by: keyof T & string;
}

export const kinds: { readonly [K in Kind]: KindOf<Contributions[K][number]> } = {
  routes: { what: 'route', shape: shapes.route, by: 'id' },
  channels: { what: 'channel', shape: shapes.channel, by: 'id' },
  tools: { what: 'tool', shape: shapes.tool, by: 'name' },
  indexers: { what: 'indexer', shape: shapes.indexer, by: 'name' },
  pages: { what: 'page', shape: shapes.page, by: 'id' },
  tabs: { what: 'tab', shape: shapes.tab, by: 'id' },
  menu: { what: 'menu entry', shape: shapes.menuEntry, by: 'id' },
  cards: { what: 'card', shape: shapes.card, by: 'id' },
  panels: { what: 'panel', shape: shapes.panel, by: 'id' },
  events: { what: 'subscription', shape: shapes.subscription, by: 'name' },
  jobs: { what: 'job', shape: shapes.job, by: 'name' },
  probes: { what: 'probe', shape: shapes.probe, by: 'name' },
};
const kindNames = Object.keys(kinds) as readonly Kind[];

export const noContributions = Object.fromEntries(kindNames.map((kind) => [kind, []])) as unknown as Contributions;

const onlyConfiguration = (kind: Kind): string =>
  `Let its \`${kind}\` go by \`config\` alone: what else it is given may be used when a ${kinds[kind].what} runs, not before`;

/** Lists the contributions of a plugin without building it. Ill-formed ones are reported and left out. */
export function claimed(definition: PluginDefinition, plan: Plan): Listed {
  const { value: config, problems: faults } = pluginConfiguration(definition, plan.configOf(definition.name));
  // For an invalid configuration joi returns defaults, which the operator did not choose, so none is passed.
  return readEarly(definition, faults.length > 0 ? {} : { config });
}

const readEarly = (definition: PluginDefinition, known: { readonly config?: unknown }): Listed =>
  read(definition, placeholder('parts'), placeholder('context', known), false);

/**
 * Lists the contributions of a built plugin.
 * @throws {Internal} with the remedy, if they are ill-formed or differ from those listed before the build. They can
 * differ, because a builder that tests whether a placeholder exists always finds it, and so the wrong ones would have
 * been checked.
 */
export function contributed(
  definition: PluginDefinition,
  config: unknown,
  parts: unknown,
  context: unknown,
): Contributions {
  const { contributions, problems } = read(definition, parts, context, true);
  const [first] = problems;
  if (first !== undefined) throw new Internal(first.message, { detail: first.remedy });
  const before = readEarly(definition, { config }).contributions;
  for (const kind of kindNames) {
    const [made, told] = [claims(kind, contributions), claims(kind, before)];
    const odd = [...made.filter((claim) => !told.includes(claim)), ...told.filter((claim) => !made.includes(claim))];
    if (odd.length === 0) continue;
    const hint = kind === 'routes' ? '; one that needs an optional port names it in `requires`' : '';
    throw new Internal(`its ${kind} are not those it told before it was built: ${odd.join(', ')}`, {
      detail: onlyConfiguration(kind) + hint,
    });
  }
  return contributions;
}

/** Everything about the contributions of one kind that is checked before the build, as text. */
const claims = (kind: Kind, contributions: Contributions): readonly string[] =>
  contributions[kind].map((one: Claimed) =>
    [
      `"${one.id ?? one.name}"`,
      one.method ?? [],
      one.path ?? [],
      one.mount === 'root' ? 'at the root' : [],
      one.type === undefined ? [] : `to ${[one.type, ...(one.also ?? [])].join(' ')} ${one.delivery}`,
      typeof one.scope === 'string' ? `scope ${one.scope}` : [],
      one.access?.who === 'permitted' ? `permission ${one.access.permission}` : [],
      (one.requires ?? []).map((port) => `port ${port}`),
      one.follows ?? [],
    ]
      .flat()
      .join(' '),
  );

type Claimed = Partial<
  Pick<Route, 'id' | 'method' | 'path' | 'mount' | 'scope' | 'access' | 'requires'> &
    Pick<Indexer, 'name' | 'follows'> &
    Pick<Subscription, 'type' | 'also' | 'delivery'>
>;

function read(definition: PluginDefinition, parts: unknown, context: unknown, isBuilt: boolean): Listed {
  const problems: Problem[] = [];
  const untold: Kind[] = [];
  const contributions = Object.fromEntries(
    kindNames.map((kind) => {
      try {
        const built: unknown = unawaited(definition[kind]?.(parts as never, context as never) ?? []);
        return [kind, wellFormed(definition.name, kind, built, { problems, isBuilt })];
      } catch (thrown) {
        const error = readable(thrown);
        // Already reported as a fault of the configuration.
        const early = error instanceof UsedTooEarly;
        untold.push(kind);
        if (!early || !/^context\.config\b/.test(error.member))
          problems.push({
            code: `${kind}_builder`,
            plugin: definition.name,
            message: `The ${kind} of plugin "${definition.name}" cannot be listed: ${firstLine(error.message)}`,
            remedy: early
              ? onlyConfiguration(kind)
              : `Mend its \`${kind}\`, which throws; it is called with \`config\` before the plugin is built, too`,
          });
        return [kind, []];
      }
    }),
  ) as unknown as Contributions;
  return { plugin: definition.name, contributions, untold, problems };
}

/** The well-formed contributions: the originals after the build, copies before it. */
function wellFormed(
  plugin: string,
  kind: Kind,
  built: unknown,
  { problems, isBuilt }: { readonly problems: Problem[]; readonly isBuilt: boolean },
): readonly unknown[] {
  const { what, shape, by } = kinds[kind];
  if (!Array.isArray(built)) {
    problems.push({
      code: `${kind}_builder`,
      plugin,
      message: `The ${kind} of plugin "${plugin}" are ${kindOf(built)}, not a list`,
      remedy: `Let \`${kind}\` return a list at once`,
    });
    return [];
  }
  return Array.from(built, (one: unknown, index): unknown => {
    const faults: Fault[] = [];
    const copy = shape(one, '', faults);
    const name: unknown = typeof copy === 'object' && copy !== null ? Reflect.get(copy, by) : undefined;
    const called = typeof name === 'string' && name !== '' ? `"${firstLine(name)}"` : `${index + 1}`;
    problems.push(
      ...faults.map(({ code, says, remedy }) => ({
        code,
        plugin,
        message: `The ${what} ${called} of plugin "${plugin}" ${says}`,
        remedy,
      })),
    );
    if (faults.length > 0) return undefined;
    return isBuilt ? one : copy;
  }).filter((one) => one !== undefined);
}
