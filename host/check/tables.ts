// Checks tables: their names, entities of undeclared tables, and references to tables of plugins that may be absent.
import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import { startsWithNameOf, tablePrefix } from '#adapters/postgres/migrations/ownership';
import type { PluginDefinition } from '../plugin/definition.ts';
import { didYouMean } from '../problems/nearest.ts';
import { needsOf, portsOf, provision, traitsOf, type Plan, type Provision } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';
import { firstLine } from '../problems/thrown.ts';

export function tableProblems(plan: Plan): readonly Problem[] {
  const ports = provision(plan.enabled, plan.providers);
  return plan.enabled.flatMap((definition) => [
    ...badNames(definition),
    ...strangeEntities(definition),
    ...badReferences(definition, plan, ports),
  ]);
}

/** An entity of another plugin's table would give the stores access to that table. */
function strangeEntities({ name: plugin, entities = [], tables = [] }: PluginDefinition): readonly Problem[] {
  return entities
    .map(tableNameOf)
    .filter((table) => !tables.includes(table))
    .map((table): Problem => ({
      code: 'undeclared_table',
      plugin,
      message: `Plugin "${plugin}" has an entity of the table "${table}", which is not in its \`tables\``,
      remedy: didYouMean(table, tables, 'Add it to `tables` of its definition'),
    }));
}

/** A name that PostgreSQL neither folds nor truncates. */
const namePattern = /^[a-z][a-z0-9_]{0,62}$/;
const nameRule = 'at most 63 lower-case letters, digits and "_"';

const naming = new UnderscoreNamingStrategy();

/** MikroORM's table name, which is derived from the class name if the entity does not set it. */
function tableNameOf(entity: object): string {
  const { meta } = entity as { readonly meta: { readonly tableName?: unknown; readonly className?: unknown } };
  return typeof meta.tableName === 'string' ? meta.tableName : naming.classToTableName(String(meta.className));
}

function badNames({ name: plugin, tables = [] }: PluginDefinition): readonly Problem[] {
  const problem = (table: string, says: string, remedy: string): Problem => ({
    code: 'table_name',
    plugin,
    message: `Table "${firstLine(table)}" of plugin "${plugin}" ${says}`,
    remedy,
  });
  return tables.flatMap((table) => {
    if (!startsWithNameOf(plugin, table))
      return [problem(table, `does not start with the plugin's name`, `Name it "${tablePrefix(plugin)}_…"`)];
    return namePattern.test(table)
      ? []
      : [problem(table, 'has a name that PostgreSQL does not take as it is', `Name it with ${nameRule}`)];
  });
}

function badReferences(definition: PluginDefinition, plan: Plan, ports: Provision): readonly Problem[] {
  const plugin = definition.name;
  const tables = new Set([...required(definition, plan, ports)].flatMap((area) => area.tables ?? []));
  return (definition.references ?? [])
    .filter((table) => !tables.has(table))
    .map((table): Problem => {
      const owner = [...plan.enabled, ...plan.disabled].find((other) => other.tables?.includes(table) === true);
      const rival = owner === undefined ? undefined : replaced(definition, owner, ports);
      if (owner !== undefined && rival !== undefined)
        return {
          code: 'reference',
          plugin: rival.by,
          message: `Plugin "${rival.by}" cannot provide ${rival.port} in place of "${owner.name}": tables of "${plugin}" refer to "${table}", which is a table of "${owner.name}"`,
          remedy: `Choose "${owner.name}" with providers.${rival.port}, or disable the other with HEXFORGE_PLUGINS=-${rival.by}`,
        };
      return {
        code: 'reference',
        plugin,
        message: `Plugin "${plugin}" references the table "${table}"${owner === undefined ? ', which no plugin it needs publishes' : ` of "${owner.name}", which it does not need`}`,
        remedy: `${needing(owner)}, or keep a plain id and clean it by event`,
      };
    });
}

/** The remedy to need a port without whose provider no forge starts: then the table always exists. */
function needing(owner: PluginDefinition | undefined): string {
  const ports = (owner === undefined ? [] : portsOf(owner)).filter((port) => {
    const traits = traitsOf(port);
    return traits?.arity === 'single' && traits.absent === 'refuse';
  });
  if (ports.length > 0) return `Add ${ports.map((port) => `"${port}"`).join(' or ')} to its \`needs\``;
  return owner === undefined ? 'Correct the name' : `Remove the reference, because "${owner.name}" may be switched off`;
}

/** The needed port that the owner could provide, and the plugin that was chosen to provide it instead. */
function replaced(
  definition: PluginDefinition,
  owner: PluginDefinition,
  ports: Provision,
): { readonly port: string; readonly by: string } | undefined {
  const port = needsOf(definition).find((need) => ports.candidatesOf(need).includes(owner));
  const by = port === undefined ? undefined : ports.providersOf(port)[0]?.name;
  return port === undefined || by === undefined || by === owner.name ? undefined : { port, by };
}

/**
 * The plugins that must run for this one to run: providers of the single ports that it needs, and the providers that
 * those need.
 */
function required(
  definition: PluginDefinition,
  plan: Plan,
  ports: Provision,
  found = new Set<PluginDefinition>(),
): ReadonlySet<PluginDefinition> {
  for (const port of needsOf(definition)) {
    const traits = traitsOf(port);
    if (traits?.arity !== 'single' || traits.absent !== 'refuse') continue;
    // If a port has no provider or too many, that is already reported, so its tables are not reported again.
    const [chosen, enabled] = [ports.providersOf(port), ports.candidatesOf(port)];
    const off = plan.disabled.filter((other) => portsOf(other).includes(port));
    for (const provider of [chosen, enabled, off].find((some) => some.length > 0) ?? []) {
      if (found.has(provider)) continue;
      found.add(provider);
      required(provider, plan, ports, found);
    }
  }
  return found;
}
