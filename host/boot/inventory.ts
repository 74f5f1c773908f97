// Lists the plugins with their contributions and declarations, for running servers and for offline commands.
import type { Route } from '#adapters/http/descriptor/route';
import type { AccessRule } from '#core/kernel/access/access';
import { typesOf } from '#core/kernel/storage/events';
import type { PluginRecord, RouteRecord } from '#core/kernel/services/plugin-inventory';
import { claimed, noContributions, type Listed } from '../check/contributions.ts';
import { mountedPath } from '../contributions/mounting.ts';
import type { PluginDefinition } from '../plugin/definition.ts';
import type { Life } from '../plugin/life.ts';
import { portsOf, type ListedPlugin, type Plan } from '../plugin/plan.ts';

/** The state of a plugin, which its definition does not contain. */
interface Standing {
  readonly state: string;
  readonly reason?: string | undefined;
  readonly remedy?: string | undefined;
  readonly parked?: number;
  /** Set if the plugin was built. */
  readonly life?: Life | undefined;
}

/** @param standingOf The state of an enabled plugin; the others are `disabled`. */
export const inventory = (plan: Plan, standingOf: (plugin: string) => Standing): readonly PluginRecord[] =>
  listedIn(plan).map((listed) =>
    recordOf(
      plan,
      listed,
      plan.enabled.find(({ name }) => name === listed.name),
      listed.enabled ? standingOf(listed.name) : { state: 'disabled' },
    ),
  );

/** The inventory with the states of the plugins of a running server. */
export const livingInventory = (
  plan: Plan,
  lives: readonly Life[],
  parked: ReadonlyMap<string, number>,
): readonly PluginRecord[] =>
  inventory(plan, (plugin) => {
    const life = lives.find(({ name }) => name === plugin);
    return life === undefined
      ? { state: 'disabled' }
      : { state: life.state, reason: life.reason, remedy: life.remedy, parked: parked.get(plugin) ?? 0, life };
  });

const listedIn = ({ listed, enabled }: Plan): readonly ListedPlugin[] =>
  listed ?? enabled.map(({ name }) => ({ name, enabled: true, origin: 'given', file: undefined }));

function recordOf(
  plan: Plan,
  { name, enabled, origin }: ListedPlugin,
  definition: PluginDefinition | undefined,
  { state, reason, remedy, parked = 0, life }: Standing,
): PluginRecord {
  const declared: Partial<PluginDefinition> = definition ?? {};
  const { contributions, untold } = contributionsOf(plan, definition, life);
  const { routes, events, jobs, probes, tools, indexers, pages, channels } = contributions;
  return {
    name,
    version: definition?.version ?? null,
    origin,
    enabled,
    state,
    reason: reason ?? null,
    remedy: remedy ?? null,
    parked,
    provides: definition === undefined ? [] : portsOf(definition),
    needs: [
      ...new Set([
        ...(declared.needs ?? []),
        ...(declared.late ?? []),
        ...routes.flatMap(({ requires = [] }) => requires),
      ]),
    ],
    late: declared.late ?? [],
    routes: routes.map((route) => routeRecord(plan, name, route)),
    tables: declared.tables ?? [],
    references: declared.references ?? [],
    config: keysOf(declared.config),
    environment: Object.keys(declared.environment ?? {}),
    settings: keysIn(declared.settings),
    repository_settings: keysIn(declared.repositorySettings),
    reads: declared.reads ?? [],
    events: { handles: [...new Set(events.flatMap(typesOf))], emits: declared.emits ?? [] },
    audits: declared.audits ?? [],
    jobs: jobs.map((job) => ({ name: job.name, seconds: job.everySeconds })),
    probes: namesOf(probes),
    permissions: namesOf(declared.permissions),
    scopes: namesOf(declared.scopes),
    tools: namesOf(tools),
    indexers: namesOf(indexers),
    pages: pages.map(({ id }) => id),
    channels: channels.map(({ id }) => id),
    outbound: declared.outbound ?? [],
    untold,
  };
}

const keysOf = (config: PluginDefinition['config']): readonly string[] => Object.keys(config?.describe().keys ?? {});
const keysIn = (settings: readonly { readonly key: string }[] = []): readonly string[] =>
  settings.map(({ key }) => key);
const namesOf = (items: readonly { readonly name: string }[] = []): readonly string[] => items.map(({ name }) => name);

/** The contributions of the built plugin; otherwise those that its builders return when called with placeholders. */
function contributionsOf(
  plan: Plan,
  definition: PluginDefinition | undefined,
  life: Life | undefined,
): Pick<Listed, 'contributions' | 'untold'> {
  if (life?.made !== undefined) return { contributions: life.made, untold: [] };
  return definition === undefined ? { contributions: noContributions, untold: [] } : claimed(definition, plan);
}

const routeRecord = (plan: Plan, plugin: string, route: Route): RouteRecord => ({
  id: route.id,
  method: route.method,
  path: mountedPath(plugin, route, plan.mountOf(plugin)),
  access: accessText(route.access),
  scope: route.scope ?? null,
});

function accessText(rule: AccessRule): string {
  switch (rule.who) {
    case 'permitted':
      return `${rule.permission} on ${rule.resource}`;
    case 'admin':
      return `admin (${rule.any ? 'any scope' : rule.scopes.join(', ')})`;
    default:
      return rule.who;
  }
}
