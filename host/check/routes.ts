// Problems of routes, seen before anything is built: the builders run on inert stand-ins.
import type { Route } from '#adapters/http/route';
import { mountedPath } from '../contributions/routes.ts';
import type { PluginDefinition } from '../definition.ts';
import { didYouMean } from '../nearest.ts';
import type { Plan } from '../plan.ts';
import { traitsOf } from '../plan.ts';
import type { Problem } from '../problem.ts';
import { claimedTwice } from './claims.ts';

interface Claim {
  readonly plugin: string;
  readonly route: Route;
}

export function routeProblems(plan: Plan): readonly Problem[] {
  const problems: Problem[] = [];
  const claims: Claim[] = [];
  for (const definition of plan.enabled) {
    try {
      claims.push(...claimedRoutes(definition).map((route) => ({ plugin: definition.name, route })));
    } catch (error) {
      problems.push({
        code: 'routes_builder',
        plugin: definition.name,
        message: `The routes of plugin "${definition.name}" cannot be listed: ${error instanceof Error ? error.message : String(error)}`,
        remedy: 'Let its `routes` only describe: what it is given may be used when a route runs, not before',
      });
    }
  }
  return [
    ...problems,
    ...twice(plan, claims),
    ...claims.flatMap((claim) => [...badMount(plan, claim), ...unknownNames(plan, claim)]),
  ];
}

/** What a plugin's routes would be, without building the plugin. */
export function claimedRoutes(definition: PluginDefinition): readonly Route[] {
  return definition.routes?.(inert as never, inert as never) ?? [];
}

/** Answers every property and every call with itself: nothing can be done with it, and nothing fails on it. */
const inert: object = new Proxy(() => undefined, {
  // `then` would make it a promise that never settles; conversion to text or number needs a primitive.
  get: (_, property) => (property === 'then' ? undefined : property === Symbol.toPrimitive ? () => '' : inert),
  apply: () => inert,
  construct: () => inert,
});

/** Method and path with its parameters unnamed: `{a}` equals `{b}`. */
const shape = (plan: Plan, { plugin, route }: Claim): string =>
  `${route.method} ${mountedPath(plugin, route, plan.mountOf(plugin)).replaceAll(/\{[^}*]*(\*?)\}/g, '{$1}')}`;

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
