// Checks routes across plugins: two at one path, paths that were not permitted, and scopes or permissions that no
// plugin declares.
import { declaredPorts } from '#core/kernel/ports';
import type { Route } from '#adapters/http/descriptor/route';
import { systemRoutes } from '#adapters/http/routes/system-routes';
import type { AccessRule } from '#core/kernel/access/access';
import { mountedPath } from '../contributions/mounting.ts';
import { didYouMean } from '../problems/nearest.ts';
import { traitsOf, type Plan } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';
import { duplicates } from './claims.ts';
import { kinds, type Contributed } from './contributions.ts';
import { enabling, wanted } from './ports.ts';

interface Claim {
  readonly plugin: string;
  readonly route: Route;
}

/** Removes parameter names, so that `{a}` equals `{b}`. */
export const unnamed = (path: string): string => path.replaceAll(/\{[^{}*]*(\*?)\}/g, '{$1}');

/** The host's own routes, which take precedence over those of plugins. */
const ofTheHost: readonly Claim[] = systemRoutes({
  baseUrl: '',
  webUrl: '',
  version: '',
  readiness: async () => ({ ready: true, degraded: [] }),
  document: async () => ({}),
}).map((route) => ({ plugin: 'host', route }));

export function routeProblems(plan: Plan, listed: readonly Contributed[]): readonly Problem[] {
  const claims = listed.flatMap(({ plugin, contributions: { routes } }) => routes.map((route) => ({ plugin, route })));
  return [
    ...duplicates(
      [
        { code: 'duplicate_route', what: 'route', namesOf: (claim) => [placeOf(plan, claim)], keyOf: unnamed },
        { code: 'duplicate_route_id', what: 'route id', namesOf: ({ route }) => [route.id] },
      ],
      [...ofTheHost, ...claims].map((claimant) => ({ plugin: claimant.plugin, claimant })),
    ),
    ...claims.flatMap((claim) => [badMount(plan, claim), strangePorts(claim)].flat()),
  ];
}

/** The method and the path. */
const placeOf = (plan: Plan, { plugin, route }: Claim): string =>
  `${route.method} ${mountedPath(plugin, route, plugin === 'host' ? 'anywhere' : plan.mountOf(plugin))}`;

function badMount(plan: Plan, { plugin, route }: Claim): Problem | readonly Problem[] {
  if (route.mount !== 'root') return [];
  if (/^\/ws(?:\/|$)/.test(route.path))
    return {
      code: 'route_mount',
      plugin,
      message: `Plugin "${plugin}" wants the route ${route.method} ${route.path}, where channels of live updates are`,
      remedy: 'Declare a channel (`channels`), or serve the route elsewhere',
    };
  if (plan.mountOf(plugin) === 'anywhere') return [];
  return {
    code: 'route_mount',
    plugin,
    message: `Plugin "${plugin}" wants the route ${route.method} ${route.path} at the root, where only granted plugins may put routes`,
    remedy: `Grant it with plugins.${plugin}.mount: anywhere, or disable the plugin`,
  };
}

function strangePorts({ plugin, route }: Claim): readonly Problem[] {
  return (route.requires ?? []).flatMap((port) => {
    const traits = traitsOf(port);
    if (traits?.arity === 'optional') return [];
    const requires = `The route "${route.id}" of plugin "${plugin}" requires the port ${port}`;
    return [
      traits === undefined
        ? {
            code: 'undeclared_port',
            plugin,
            message: `${requires}, which nothing declares`,
            remedy: didYouMean(
              port,
              declaredPorts().keys(),
              'Import the module that declares it with declarePort, or correct the name',
            ),
          }
        : {
            code: 'port_arity',
            plugin,
            message: `${requires}, which is not optional`,
            remedy: 'Add it to `needs` of its definition instead',
          },
    ];
  });
}

interface Guarded {
  readonly what: string;
  readonly plugin: string;
  readonly scope: string | null;
  readonly access?: AccessRule;
}

/**
 * Scope rows and permissions that are named but not declared by any plugin. Access to such a route could never be
 * allowed.
 */
export function guardProblems(plan: Plan, listed: readonly Contributed[]): readonly Problem[] {
  // If a required port has no provider, the scopes and permissions of the disabled provider are also missing. Only the
  // port is reported.
  const known = [...plan.enabled, ...wanted(plan)];
  const scopes = new Set(known.flatMap((definition) => definition.scopes ?? []).map(({ name }): string => name));
  const permissions = new Set(known.flatMap((definition) => definition.permissions ?? []).map(({ name }) => name));
  const offering = (name: string, kind: 'scope' | 'permission'): string | undefined => {
    const owners = plan.disabled.filter((definition) =>
      (kind === 'scope' ? definition.scopes : definition.permissions)?.some((one) => one.name === name),
    );
    return owners.length === 0 ? undefined : enabling(owners.map((owner) => owner.name));
  };
  const unknown = (
    { what, plugin }: Guarded,
    kind: 'scope' | 'permission',
    name: string | null | undefined,
    contributed: ReadonlySet<string>,
  ): Problem | readonly Problem[] =>
    typeof name !== 'string' || contributed.has(name)
      ? []
      : {
          code: `unknown_${kind}`,
          plugin,
          message: `The ${what} of plugin "${plugin}" names the ${kind === 'scope' ? 'scope row' : kind} "${name}", which no enabled plugin contributes`,
          remedy:
            offering(name, kind) ??
            didYouMean(
              name,
              contributed,
              `Add it to the \`${kind}s\` of its definition, or enable the plugin that contributes it`,
            ),
        };
  const included = plan.enabled.flatMap(({ name: plugin, scopes: rows = [] }) =>
    rows.flatMap(({ name, includes = [] }) =>
      includes.map((scope): Guarded => ({ what: `scope row "${name}"`, plugin, scope })),
    ),
  );
  return [...included, ...listed.flatMap(guardedOf)].flatMap((guarded) => {
    const { scope, access } = guarded;
    const permission = access?.who === 'permitted' ? access.permission : undefined;
    return [unknown(guarded, 'scope', scope, scopes), unknown(guarded, 'permission', permission, permissions)].flat();
  });
}

const guardedOf = ({ plugin, contributions }: Contributed): readonly Guarded[] => [
  ...(['routes', 'channels', 'tools', 'indexers', 'pages'] as const).flatMap((kind) =>
    contributions[kind].map((one: Identified) => ({
      ...one,
      what: `${kinds[kind].what} "${one.id ?? one.name}"`,
      plugin,
    })),
  ),
  ...contributions.pages.flatMap(({ forms }) => forms.map((form) => ({ ...form, what: `form "${form.id}"`, plugin }))),
];

type Identified = Pick<Guarded, 'scope' | 'access'> & { readonly id?: string; readonly name?: string };
