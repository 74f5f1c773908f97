// Problems of routes, found before anything is built: their builders are called with the real configuration and with
// stand-ins for the rest.
import type { Route } from '#adapters/http/route';
import { Internal } from '#core/kernel/errors';
import { mountedPath } from '../contributions/routes.ts';
import type { PluginDefinition } from '../definition.ts';
import { didYouMean } from '../nearest.ts';
import type { Plan } from '../plan.ts';
import { traitsOf } from '../plan.ts';
import type { Problem } from '../problem.ts';
import { claimedTwice } from './claims.ts';
import { pluginConfiguration } from './configuration.ts';
import { standIn } from './stand-ins.ts';

interface Claim {
  readonly plugin: string;
  readonly route: Route;
}

export function routeProblems(plan: Plan): readonly Problem[] {
  const problems: Problem[] = [];
  const claims: Claim[] = [];
  for (const definition of plan.enabled) {
    const { value: config, problems: faults } = pluginConfiguration(definition, plan.configOf(definition.name));
    try {
      // Of a faulty configuration joi tells defaults, which are not what the operator means.
      const known = faults.length > 0 ? {} : { config };
      claims.push(...claimedRoutes(definition, known).map((route) => ({ plugin: definition.name, route })));
    } catch (error) {
      // That problem is told already, and may be why.
      if (faults.length > 0) continue;
      problems.push({
        code: 'routes_builder',
        plugin: definition.name,
        message: `The routes of plugin "${definition.name}" cannot be listed: ${error instanceof Error ? error.message : String(error)}`,
        remedy: onlyConfiguration,
      });
    }
  }
  return [
    ...problems,
    ...twice(plan, claims),
    ...claims.flatMap((claim) => [...badMount(plan, claim), ...unknownNames(plan, claim)]),
  ];
}

const onlyConfiguration =
  'Let its `routes` go by `config` alone: what else it is given may be used when a route runs, not before';

/** What a plugin's routes will be, without building the plugin. */
function claimedRoutes(definition: PluginDefinition, known: { readonly config?: unknown }): readonly Route[] {
  return definition.routes?.(standIn('parts') as never, standIn('context', known) as never) ?? [];
}

/**
 * Holds the routes of a built plugin against what was claimed for it: a stand-in cannot tell that a builder asks
 * whether it is there, so the routes checked could be others than those served.
 * @throws {Internal} with the remedy, naming what differs.
 */
export function checkBuiltRoutes(definition: PluginDefinition, config: unknown, built: readonly Route[]): void {
  const claimed = claimedRoutes(definition, { config }).map(claimOf);
  const made = built.map(claimOf);
  const odd = [
    ...made.filter((claim) => !claimed.includes(claim)),
    ...claimed.filter((claim) => !made.includes(claim)),
  ];
  if (odd.length > 0)
    throw new Internal(`its routes are not those it told before it was built: ${odd.join(', ')}`, {
      detail: `${onlyConfiguration}; one that needs an optional port names it in \`requires\``,
    });
}

/** All that is checked of a route before it is built. */
const claimOf = ({ id, method, mount, path, scope, access, requires = [] }: Route): string =>
  [
    `"${id}" ${method} ${path}${mount === 'root' ? ' at the root' : ''}`,
    ...(scope === null ? [] : [`scope ${scope}`]),
    ...(access.who === 'permitted' ? [`permission ${access.permission}`] : []),
    ...requires.map((port) => `port ${port}`),
  ].join(' ');

/** Method and path with its parameters unnamed: `{a}` equals `{b}`. */
const shape = (plan: Plan, { plugin, route }: Claim): string =>
  `${route.method} ${mountedPath(plugin, route, plan.mountOf(plugin)).replaceAll(/\{[^{}*]*(\*?)\}/g, '{$1}')}`;

function twice(plan: Plan, claims: readonly Claim[]): readonly Problem[] {
  const problems: Problem[] = [];
  const owners = { shape: new Map<string, Claim>(), id: new Map<string, Claim>() };
  for (const claim of claims) {
    const first = owners.shape.get(shape(plan, claim));
    if (first === undefined) owners.shape.set(shape(plan, claim), claim);
    else
      problems.push(
        claimedTwice(
          'duplicate_route',
          'route',
          `${claim.route.method} ${mountedPath(claim.plugin, claim.route, plan.mountOf(claim.plugin))}`,
          first.plugin,
          claim.plugin,
        ),
      );
    const named = owners.id.get(claim.route.id);
    if (named === undefined) owners.id.set(claim.route.id, claim);
    else problems.push(claimedTwice('duplicate_route_id', 'route id', claim.route.id, named.plugin, claim.plugin));
  }
  return problems;
}

function badMount(plan: Plan, { plugin, route }: Claim): readonly Problem[] {
  if (route.mount !== 'root' || plan.mountOf(plugin) === 'anywhere') return [];
  return [
    {
      code: 'route_mount',
      plugin,
      message: `Plugin "${plugin}" wants the route ${route.method} ${route.path} at the root, where only granted plugins may put routes`,
      remedy: `Grant it with plugins.${plugin}.mount: anywhere, or disable the plugin`,
    },
  ];
}

/** Scope rows, permissions and optional ports that a route names and nobody contributes: it could never be allowed. */
function unknownNames({ enabled }: Plan, { plugin, route }: Claim): readonly Problem[] {
  const scopes = new Set(enabled.flatMap((definition) => definition.scopes ?? []).map(({ name }): string => name));
  const permissions = new Set(enabled.flatMap((definition) => definition.permissions ?? []).map(({ name }) => name));
  const problems: Problem[] = [];
  if (route.scope !== null && !scopes.has(route.scope)) {
    problems.push({
      code: 'unknown_scope',
      plugin,
      message: `The route "${route.id}" of plugin "${plugin}" names the scope row "${String(route.scope)}", which no enabled plugin contributes`,
      remedy: didYouMean(
        route.scope,
        scopes,
        'Add it to the `scopes` of its definition, or enable the plugin that contributes it',
      ),
    });
  }
  if (route.access.who === 'permitted' && !permissions.has(route.access.permission)) {
    problems.push({
      code: 'unknown_permission',
      plugin,
      message: `The route "${route.id}" of plugin "${plugin}" names the permission "${route.access.permission}", which no enabled plugin contributes`,
      remedy: didYouMean(
        route.access.permission,
        permissions,
        'Add it to the `permissions` of its definition, or enable the plugin that contributes it',
      ),
    });
  }
  for (const port of route.requires ?? []) {
    if (traitsOf(port) === undefined)
      problems.push({
        code: 'undeclared_port',
        plugin,
        message: `The route "${route.id}" of plugin "${plugin}" requires the port ${port}, which nothing declares`,
        remedy: 'Import the module that declares it with declarePort, or correct the name',
      });
  }
  return problems;
}
