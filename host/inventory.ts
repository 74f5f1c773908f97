// The inventory of plugins: what each may do, from its definition before it is built and from what it made afterwards.
import type { Route } from '#adapters/http/route';
import type { AccessRule } from '#core/kernel/access';
import type { PluginRecord, RouteRecord } from '#core/kernel/plugin-inventory';
import { pluginConfiguration } from './check/configuration.ts';
import { standIn } from './check/stand-ins.ts';
import { mountedPath } from './contributions/routes.ts';
import type { Job, PluginDefinition } from './definition.ts';
import type { Life } from './life.ts';
import { portsOf, type ListedPlugin, type Plan } from './plan.ts';

/** What is known of a plugin beside its definition. */
interface Standing {
  readonly state: string;
  readonly reason?: string | undefined;
  readonly parked?: number;
  /** Set once it was built. */
  readonly life?: Life | undefined;
}

/** @param standingOf of an enabled plugin; the others are `disabled`. */
export const inventory = (plan: Plan, standingOf: (plugin: string) => Standing): readonly PluginRecord[] =>
  listedIn(plan).map((listed) =>
    recordOf(
      plan,
      listed,
      plan.enabled.find(({ name }) => name === listed.name),
      listed.enabled ? standingOf(listed.name) : { state: 'disabled' },
    ),
  );

/** As the plugins of a running server stand. */
export const livingInventory = (
  plan: Plan,
  lives: readonly Life[],
  parked: ReadonlyMap<string, number>,
): readonly PluginRecord[] =>
  inventory(plan, (plugin) => {
    const life = lives.find(({ name }) => name === plugin);
    return life === undefined
      ? { state: 'disabled' }
      : { state: life.state, reason: life.reason, parked: parked.get(plugin) ?? 0, life };
  });

const listedIn = ({ listed, enabled }: Plan): readonly ListedPlugin[] =>
  listed ?? enabled.map(({ name }) => ({ name, enabled: true, origin: 'given', file: undefined }));

function recordOf(
  plan: Plan,
  { name, enabled, origin }: ListedPlugin,
  definition: PluginDefinition | undefined,
  { state, reason, parked = 0, life }: Standing,
): PluginRecord {
  const told = new Told(plan, definition, life);
  const routes = told.items('routes').map((route) => route as Route);
  return {
    name,
    version: definition?.version ?? null,
    origin,
    enabled,
    state,
    reason: reason ?? null,
    parked,
    provides: definition === undefined ? [] : portsOf(definition),
    needs: [...new Set([...told.names('needs'), ...told.names('late'), ...routes.flatMap(requiredBy)])],
    routes: routes.map((route) => routeRecord(plan, name, route)),
    tables: told.names('tables'),
    settings: told.items('settings').map((setting) => textOf(setting, 'key')),
    reads: told.names('reads'),
    events: {
      handles: [...new Set(told.items('events').map((subscription) => textOf(subscription, 'type')))],
      emits: told.names('emits'),
    },
    jobs: told.items('jobs').map((job) => ({ name: textOf(job, 'name'), seconds: secondsOf(job) })),
    permissions: told.names('permissions'),
    scopes: told.names('scopes'),
    tools: told.names('tools'),
    indexers: told.names('indexers'),
    pages: told.names('pages'),
    outbound: told.names('outbound'),
    untold: told.untold,
  };
}

const requiredBy = ({ requires }: Route): readonly string[] => (Array.isArray(requires) ? requires : []);

/** What a plugin contributes, by the member of its definition: as it was made, or else as its builders tell it. */
class Told {
  readonly untold: string[] = [];
  readonly #definition: PluginDefinition | undefined;
  readonly #made: Life['made'];
  readonly #config: unknown;

  constructor(plan: Plan, definition: PluginDefinition | undefined, life: Life | undefined) {
    this.#definition = definition;
    this.#made = life?.made;
    this.#config =
      definition === undefined ? undefined : pluginConfiguration(definition, plan.configOf(definition.name)).value;
  }

  items(member: string): readonly unknown[] {
    const made: unknown = this.#made === undefined ? undefined : Reflect.get(this.#made, member);
    if (Array.isArray(made)) return made;
    const declared: unknown = this.#definition === undefined ? [] : Reflect.get(this.#definition, member);
    if (typeof declared !== 'function') return Array.isArray(declared) ? declared : [];
    try {
      const listed: unknown = Reflect.apply(declared, undefined, [
        standIn('parts'),
        standIn('context', { config: this.#config }),
      ]);
      return Array.isArray(listed) ? listed : [];
    } catch {
      this.untold.push(member);
      return [];
    }
  }

  /** Of a list of names, or of things with one. */
  names(member: string): readonly string[] {
    return this.items(member).map((item) => (typeof item === 'string' ? item : textOf(item, 'name')));
  }
}

const secondsOf = (job: unknown): number => {
  const { everySeconds }: Partial<Job> = Object(job) as object;
  return typeof everySeconds === 'number' ? everySeconds : 0;
};

/** Of what plain JavaScript may have left out. */
function textOf(item: unknown, member: string): string {
  const value: unknown = typeof item === 'object' && item !== null ? Reflect.get(item, member) : undefined;
  return typeof value === 'string' && value !== '' ? value : '(unnamed)';
}

const routeRecord = (plan: Plan, plugin: string, route: Route): RouteRecord => ({
  id: route.id,
  method: route.method,
  path: mountedPath(plugin, route, plan.mountOf(plugin)),
  access: accessText(route.access),
  scope: route.scope ?? null,
});

function accessText(rule: AccessRule | undefined): string {
  switch (rule?.who) {
    case 'permitted':
      return `${rule.permission} on ${rule.resource}`;
    case 'admin':
      return `admin (${rule.scopes.join(', ')})`;
    default:
      return rule?.who ?? '(unnamed)';
  }
}
