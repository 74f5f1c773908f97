// Problems of tables: their names, and references to tables of plugins that may be absent.
import { startsWithNameOf, tablePrefix } from '#adapters/postgres/ownership';
import type { PluginDefinition } from '../definition.ts';
import { needsOf, portsOf, provision, traitsOf, type Plan, type Provision } from '../plan.ts';
import type { Problem } from '../problem.ts';

export function tableProblems(plan: Plan): readonly Problem[] {
  const ports = provision(plan.enabled, plan.providers);
  return plan.enabled.flatMap((definition) => [...badNames(definition), ...badReferences(definition, plan, ports)]);
}

function badNames({ name: plugin, tables = [] }: PluginDefinition): readonly Problem[] {
  const prefix = tablePrefix(plugin);
  return tables
    .filter((table) => !startsWithNameOf(plugin, table))
    .map((table): Problem => ({
      code: 'table_name',
      plugin,
      message: `Table "${table}" of plugin "${plugin}" does not start with the plugin's name`,
      remedy: `Name it "${prefix}_…"`,
    }));
}

function badReferences(definition: PluginDefinition, plan: Plan, ports: Provision): readonly Problem[] {
  const plugin = definition.name;
  const tables = new Set([...required(definition, plan, ports)].flatMap((area) => area.tables ?? []));
  return (definition.references ?? [])
    .filter((table) => !tables.has(table))
    .map((table): Problem => {
      const owner = [...plan.enabled, ...plan.disabled].find((other) => other.tables?.includes(table) === true);
      return {
        code: 'reference',
        plugin,
        message: `Plugin "${plugin}" references the table "${table}"${owner === undefined ? ', which no plugin it needs publishes' : ` of "${owner.name}", which it does not need`}`,
        remedy: 'Declare a need of a port that its owner must provide, or keep a plain id and clean it by event',
      };
    });
}

/** The plugins without which this one cannot run: providers of the single ports it needs, and theirs. */
function required(
  definition: PluginDefinition,
  plan: Plan,
  ports: Provision,
  found = new Set<PluginDefinition>(),
): ReadonlySet<PluginDefinition> {
  for (const port of needsOf(definition)) {
    const traits = traitsOf(port);
    if (traits?.arity !== 'single' || traits.absent !== 'refuse') continue;
    const enabled = ports.candidatesOf(port).length > 0;
    // One that is off is a missing port already; its tables are no second problem.
    for (const provider of enabled
      ? ports.providersOf(port)
      : plan.disabled.filter((other) => portsOf(other).includes(port))) {
      if (found.has(provider)) continue;
      found.add(provider);
      required(provider, plan, ports, found);
    }
  }
  return found;
}
