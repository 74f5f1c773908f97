// What a plugin contributes, listed by its builders: with stand-ins before it is built, and held against that after.
import type { LiveChannel } from '#adapters/http/live/channel';
import type { Route } from '#adapters/http/route';
import type { AccessRule } from '#core/kernel/access';
import type { Subscription } from '#core/kernel/events';
import { Internal } from '#core/kernel/errors';
import type { Indexer } from '../contributions/indexers.ts';
import type { WebPage } from '../contributions/pages.ts';
import type { Tool } from '../contributions/tools.ts';
import type { Job, PluginDefinition, Probe } from '../definition.ts';
import type { Plan } from '../plan.ts';
import type { Problem } from '../problem.ts';
import { pluginConfiguration } from './configuration.ts';
import * as shapes from './contribution-shapes.ts';
import { kindOf, unawaited, type Fault, type Shape } from './shape.ts';
import { firstLine, readable } from '../thrown.ts';
import { standIn, UsedTooEarly } from './stand-ins.ts';

export interface Contributions {
  readonly routes: readonly Route[];
  readonly channels: readonly LiveChannel[];
  readonly tools: readonly Tool[];
  readonly indexers: readonly Indexer[];
  readonly pages: readonly WebPage[];
  readonly events: readonly Subscription[];
  readonly jobs: readonly Job[];
  readonly probes: readonly Probe[];
}

/** What one plugin contributes. */
export interface Contributed {
  readonly plugin: string;
  readonly contributions: Contributions;
}

/** The same as its builders list it before it is built. */
export interface Listed extends Contributed {
  /** The kinds of which nothing can be told before the plugin is built. */
  readonly untold: readonly Kind[];
  readonly problems: readonly Problem[];
}

type Kind = keyof Contributions;

interface KindOf<T> {
  /** As a sentence calls one of them. */
  readonly what: string;
  readonly shape: Shape;
  /** The member that tells them apart. */
  readonly by: keyof T & string;
  /** All that is checked of one before it is built. */
  readonly claim: (one: T) => string;
}

const about = (scope: string | null, access: AccessRule): readonly string[] => [
  ...(scope === null ? [] : [`scope ${scope}`]),
  ...(access.who === 'permitted' ? [`permission ${access.permission}`] : []),
];

const kinds: { readonly [K in Kind]: KindOf<Contributions[K][number]> } = {
  routes: {
    what: 'route',
    shape: shapes.route,
    by: 'id',
    claim: ({ id, method, mount, path, scope, access, requires = [] }) =>
      [
        `"${id}" ${method} ${path}${mount === 'root' ? ' at the root' : ''}`,
        ...about(scope, access),
        ...requires.map((port) => `port ${port}`),
      ].join(' '),
  },
  channels: {
    what: 'channel',
    shape: shapes.channel,
    by: 'id',
    claim: ({ id, path, scope, access, follows }) => [`"${id}" ${path}`, ...about(scope, access), ...follows].join(' '),
  },
  tools: {
    what: 'tool',
    shape: shapes.tool,
    by: 'name',
    claim: ({ name, scope, access }) => [`"${name}"`, ...about(scope, access)].join(' '),
  },
  indexers: {
    what: 'indexer',
    shape: shapes.indexer,
    by: 'name',
    claim: ({ name, scope, follows }) => [`"${name}"`, `scope ${scope}`, ...follows].join(' '),
  },
  pages: {
    what: 'page',
    shape: shapes.page,
    by: 'id',
    claim: ({ id, path, scope, access }) => [`"${id}" ${path}`, ...about(scope, access)].join(' '),
  },
  events: {
    what: 'subscription',
    shape: shapes.subscription,
    by: 'name',
    claim: ({ name, type, delivery }) => `"${name}" to ${type} ${delivery}`,
  },
  jobs: { what: 'job', shape: shapes.job, by: 'name', claim: ({ name }) => `"${name}"` },
  probes: { what: 'probe', shape: shapes.probe, by: 'name', claim: ({ name }) => `"${name}"` },
};
const kindNames = Object.keys(kinds) as readonly Kind[];

const onlyConfiguration = (kind: Kind): string =>
  `Let its \`${kind}\` go by \`config\` alone: what else it is given may be used when a ${kinds[kind].what} runs, not before`;

/** What a plugin will contribute, without building it. What is ill-formed is told and left out. */
export function claimed(definition: PluginDefinition, plan: Plan): Listed {
  const { value: config, problems: faults } = pluginConfiguration(definition, plan.configOf(definition.name));
  // Of a faulty configuration joi tells defaults, which are not what the operator means.
  return readEarly(definition, faults.length > 0 ? {} : { config });
}

const readEarly = (definition: PluginDefinition, known: { readonly config?: unknown }): Listed =>
  read(definition, standIn('parts'), standIn('context', known), false);

/**
 * What a built plugin contributes.
 * @throws {Internal} with the remedy, where it is ill-formed or not what was claimed: a stand-in cannot tell that a
 * builder asks whether it is there, so what was checked could be other than what is served.
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

const claims = (kind: Kind, contributions: Contributions): readonly string[] =>
  (contributions[kind] as readonly never[]).map((one) => kinds[kind].claim(one));

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
        // A fault of the configuration is told already.
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

/** Those without fault: as they are once they are built, copies before. */
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
