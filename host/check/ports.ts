// Checks dependencies between plugins: ports without a provider or with too many, and cycles.
import { declaredPorts } from '#core/kernel/ports';
import type { PluginDefinition } from '../plugin/definition.ts';
import { didYouMean } from '../problems/nearest.ts';
import { order } from '../plugin/order.ts';
import { hostPorts, needsOf, offIn, portsOf, provision, traitsOf, type Plan, type Provision } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';

const listed = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');
const namesOf = (definitions: readonly PluginDefinition[]): string => listed(definitions.map(({ name }) => name));

export function portProblems(plan: Plan): readonly Problem[] {
  const ports = provision(plan.enabled, plan.providers);
  return [
    ...undeclared(plan),
    ...missing(plan, ports),
    ...rivals(plan, ports),
    ...choices(plan, ports),
    ...cycles(plan, ports),
  ];
}

function undeclared({ enabled }: Plan): readonly Problem[] {
  return enabled.flatMap((definition) => {
    const unknown = [...needsOf(definition), ...(definition.late ?? []), ...portsOf(definition)].filter(
      (port) => traitsOf(port) === undefined,
    );
    return [...new Set(unknown)].map((port): Problem => ({
      code: 'undeclared_port',
      plugin: definition.name,
      message: `Plugin "${definition.name}" names the port ${port}, which nothing declares`,
      remedy: didYouMean(
        port,
        declaredPorts().keys(),
        'Import the module that declares it with declarePort, or correct the name in the definition',
      ),
    }));
  });
}

/** The required ports without a provider, each with the plugins that need it. */
function missed({ enabled }: Plan, { candidatesOf }: Provision): ReadonlyMap<string, readonly PluginDefinition[]> {
  const needed = new Map<string, PluginDefinition[]>();
  for (const definition of enabled) {
    for (const port of needsOf(definition)) needed.set(port, [...(needed.get(port) ?? []), definition]);
  }
  return new Map(
    [...needed].filter(([port]) => {
      const traits = traitsOf(port);
      return (
        traits?.arity === 'single' &&
        traits.absent === 'refuse' &&
        !(port in hostPorts) &&
        candidatesOf(port).length === 0
      );
    }),
  );
}

/** The disabled plugins that could provide a required port that no enabled plugin provides. */
export function wanted(plan: Plan): readonly PluginDefinition[] {
  const ports = missed(plan, provision(plan.enabled, plan.providers));
  return plan.disabled.filter((definition) => portsOf(definition).some((port) => ports.has(port)));
}

/** The remedy to enable one of these plugins. */
export const enabling = (names: readonly string[]): string =>
  `Enable ${names.map((name) => `"${name}" with HEXFORGE_PLUGINS=+${name}`).join(' or ')}`;

function missing(plan: Plan, ports: Provision): readonly Problem[] {
  return [...missed(plan, ports)].flatMap(([port, by]): Problem | readonly Problem[] => {
    const traits = traitsOf(port);
    if (traits === undefined) return [];
    const known = plan.disabled.filter((definition) => portsOf(definition).includes(port));
    const off = by.map(({ name }) => `-${name}`).join(',');
    const remedy =
      known.length === 0
        ? `Install a plugin that provides it, or disable who needs it with HEXFORGE_PLUGINS=${off}`
        : `${enabling(known.map(({ name }) => name))}, or disable who needs it with HEXFORGE_PLUGINS=${off}`;
    return {
      code: 'missing_port',
      ...(by.length === 1 && by[0] !== undefined ? { plugin: by[0].name } : {}),
      message: `No enabled plugin provides the ${traits.component} (port ${port}), needed by ${namesOf(by)}`,
      remedy,
    };
  });
}

function rivals(plan: Plan, { candidatesOf }: Provision): readonly Problem[] {
  const { enabled, providers } = plan;
  const off = offIn(plan);
  const ports = [...new Set(enabled.flatMap(portsOf))];
  return ports.flatMap((port): Problem | readonly Problem[] => {
    const candidates = candidatesOf(port);
    if (hostPorts[port] === 'fixed') {
      return candidates.map(({ name }): Problem => ({
        code: 'reserved_port',
        plugin: name,
        message: `Plugin "${name}" provides the port ${port}, which the host provides itself`,
        remedy: 'Remove it from `provides`',
      }));
    }
    const arity = traitsOf(port)?.arity;
    if (arity === undefined || arity === 'plural' || candidates.length < 2) return [];
    const choice = providers[port];
    if (choice !== undefined && !off.has(choice)) return [];
    const newcomers = candidates.filter(({ name }) => plan.isOutside(name));
    return {
      code: 'two_providers',
      ...(newcomers.length === 1 && newcomers[0] !== undefined ? { plugin: newcomers[0].name } : {}),
      message: `The port ${port} has ${candidates.length} providers: ${namesOf(candidates)}`,
      remedy: `Choose one with providers.${port} in the configuration, or disable the others`,
    };
  });
}

function choices(plan: Plan, { candidatesOf }: Provision): readonly Problem[] {
  const { enabled, disabled, providers } = plan;
  const off = offIn(plan);
  const provided = new Set([...enabled, ...disabled].flatMap(portsOf));
  return Object.entries(providers).flatMap(([port, plugin]): Problem | readonly Problem[] => {
    if (off.has(plugin) || candidatesOf(port).some(({ name }) => name === plugin)) return [];
    if (!provided.has(port))
      return {
        code: 'bad_choice',
        message: `providers.${port} chooses for a port that no plugin provides`,
        remedy: didYouMean(port, provided, 'Remove the line'),
      };
    const candidates = candidatesOf(port);
    const others = disabled.filter((definition) => portsOf(definition).includes(port)).map(({ name }) => name);
    return {
      code: 'bad_choice',
      message: `providers.${port} is "${plugin}", but no enabled plugin of that name provides the port`,
      remedy:
        candidates.length === 0 ? `${enabling(others)}, or remove the line` : `Choose from ${namesOf(candidates)}`,
    };
  });
}

function cycles({ enabled }: Plan, ports: Provision): readonly Problem[] {
  const { cycle } = order(enabled, ports.dependenciesOf);
  if (cycle === undefined) return [];
  const links = cycle.map((definition, index) => {
    const next = cycle[(index + 1) % cycle.length] ?? definition;
    const via = needsOf(definition).find((port) => ports.providersOf(port).includes(next)) ?? '';
    return `"${definition.name}" needs ${via} of "${next.name}"`;
  });
  return [
    {
      code: 'cycle',
      message: `Plugins need each other in a circle: ${links.join(', ')}`,
      remedy:
        'Move one of these ports from `needs` to `late` (only an optional or plural port can be late), or disable one of the plugins',
    },
  ];
}
